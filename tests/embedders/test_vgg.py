"""VGG-16: its table in the paper, its names in a file, and its features by other means."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from saccade.embedders._trunk import read_trained
from saccade.embedders.vgg import Vgg, VggEmbedder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded

NAMES = [
    *("conv1_1", "conv1_2", "conv2_1", "conv2_2", "conv3_1", "conv3_2", "conv3_3"),
    *("conv4_1", "conv4_2", "conv4_3", "conv5_1", "conv5_2", "conv5_3"),
]
PARAMETERS = 14_714_688  # of all thirteen convolutions: 138 million less the classifier


def pixels(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 256, (*shape, 3), generator=generator).float()


def test_it_is_configuration_d_of_the_paper() -> None:
    with torch.device("meta"):
        network = Vgg()
    assert [name for name, _ in network.named_children()] == NAMES
    assert sum(parameter.numel() for parameter in network.parameters()) == PARAMETERS
    assert network.grid((224, 224, 3)) == (14, 14)
    assert network.channels == 512


def test_it_computes_what_layers_of_torch_compute() -> None:
    torch.manual_seed(1)
    network = Vgg(width=2)
    layers: list[nn.Module] = []
    for name, own in network.named_children():
        weight, bias = own.parameters()
        layer = nn.Conv2d(weight.shape[1], weight.shape[0], 3, padding=1)
        layer.load_state_dict({"weight": weight, "bias": bias})
        pooled = name.endswith("_1") and name != "conv1_1"
        layers += [*([nn.MaxPool2d(2)] if pooled else []), layer, nn.ReLU()]
    mean = torch.tensor([123.68, 116.779, 103.939])
    given = pixels(2, 32, 48)
    wanted = nn.Sequential(*layers)((given - mean).permute(0, 3, 1, 2))
    torch.testing.assert_close(network(given), wanted.permute(0, 2, 3, 1))


@pytest.mark.parametrize("size", [(1, 1), (17, 32), (33, 15)])
def test_a_place_for_every_16_pixels(size: tuple[int, int]) -> None:
    network = Vgg(width=1)
    assert tuple(network(pixels(1, *size)).shape) == (1, *network.grid((*size, 3)), 8)


def test_weights_are_read_from_a_file_by_the_names_of_the_paper(tmp_path: Path) -> None:
    path = tmp_path / "vgg.safetensors"
    torch.manual_seed(1)
    other = Vgg(width=2)
    save_file({**dict(other.state_dict()), "fc8.bias": torch.zeros(3)}, path)
    embed = VggEmbedder(3, 4, width=2, weights=str(path), train=2)
    assert torch.equal(embed.trunk(pixels(1, 16, 16)), other(pixels(1, 16, 16)))
    learning = [name for name, p in embed.trunk.named_parameters() if p.requires_grad]
    assert learning == ["conv5_2.weight", "conv5_2.bias", "conv5_3.weight", "conv5_3.bias"]
    found = embed(Padded(pixels(1, 20, 16), torch.ones(1, 20, 16).bool()))
    assert found.values.shape == (1, 2, 4)


def test_files_that_do_not_fit_are_told(tmp_path: Path) -> None:
    path = tmp_path / "some.safetensors"
    with pytest.raises(RecipeError, match=r"vgg: .*some.safetensors cannot be read as a safet"):
        read_trained(Vgg(width=1, weights=str(path)))
    path.write_bytes(b"no safetensors")
    with pytest.raises(RecipeError, match=r"cannot be read as a safetensors file"):
        read_trained(Vgg(width=1, weights=str(path)))
    save_file({"conv1_1.weight": torch.zeros(2)}, path)
    with pytest.raises(RecipeError, match=r"has no conv1_1.bias \(25 of 26 names are missing\)"):
        read_trained(Vgg(width=1, weights=str(path)))
    save_file(dict(Vgg(width=2).state_dict()), path)
    wrong = r"Vgg: conv1_1.weight has shape \[2, 3, 3, 3\]; the network needs \[1, 3, 3, 3\]"
    with pytest.raises(RecipeError, match=wrong):
        read_trained(Vgg(width=1, weights=str(path)))
    with pytest.raises(ShapeError, match="vgg: width is 0; expected 1 or more channels"):
        Vgg(width=0)
