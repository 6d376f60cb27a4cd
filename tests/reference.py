"""Torch's own modules with the weights of ours: the only place that knows their layout."""

from itertools import product

import torch
from torch import Tensor, nn

from saccade.attention.multihead import MultiHead
from saccade.cells.elman import Elman
from saccade.cells.gru import GRU
from saccade.cells.lstm import LSTM
from saccade.decoders.transformer import DecoderLayer
from saccade.encoders.rnn import RnnEncoder
from saccade.encoders.transformer import EncoderLayer
from saccade.layers.transformer import FeedForward


def drop(mask: Tensor) -> Tensor:
    """Turn a mask around: torch reads True as drop."""
    return ~mask


def _put(module: nn.Module, values: dict[str, Tensor]) -> None:
    module.load_state_dict({name: value.detach().clone() for name, value in values.items()})


def rnn(cell: Elman) -> nn.RNN:
    module = nn.RNN(cell.input_dim, cell.hidden_dim, batch_first=True)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    _put(module, dict(zip(names, (cell.W, cell.U, cell.b, 0 * cell.b), strict=True)))
    return module


def gru(cell: GRU) -> nn.GRU:
    module = nn.GRU(cell.input_dim, cell.hidden_dim, batch_first=True)
    hidden_bias = torch.cat([torch.zeros(2 * cell.hidden_dim), cell.d])
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    _put(module, dict(zip(names, (cell.W, cell.U, cell.b, hidden_bias), strict=True)))
    return module


def lstm(cell: LSTM) -> nn.LSTM:
    module = nn.LSTM(cell.input_dim, cell.hidden_dim, batch_first=True)
    _put(module, _lstm_weights(cell, "l0"))
    return module


def bidirectional_lstm(encoder: RnnEncoder) -> nn.LSTM:
    n_layers = len(encoder.layers)
    module = nn.LSTM(
        encoder.input_dim, encoder.hidden, n_layers, batch_first=True, bidirectional=True
    )
    weights: dict[str, Tensor] = {}
    for i, (d, suffix) in product(range(n_layers), enumerate(("", "_reverse"))):
        cell = encoder.get_submodule(f"layers.{i}.{d}")
        assert isinstance(cell, LSTM)
        weights |= _lstm_weights(cell, f"l{i}{suffix}")
    _put(module, weights)
    return module


def _lstm_weights(cell: LSTM, suffix: str) -> dict[str, Tensor]:
    return {
        f"weight_ih_{suffix}": cell.W,
        f"weight_hh_{suffix}": cell.U,
        f"bias_ih_{suffix}": cell.b,
        f"bias_hh_{suffix}": 0 * cell.b,
    }


def multihead(attention: MultiHead) -> nn.MultiheadAttention:
    module = nn.MultiheadAttention(attention.query_dim, attention.heads, batch_first=True)
    _put(module, _multihead_weights(attention, ""))
    return module


def _multihead_weights(attention: nn.Module, prefix: str) -> dict[str, Tensor]:
    assert isinstance(attention, MultiHead)
    q, kv = attention.query, attention.keys_values
    return {
        f"{prefix}in_proj_weight": torch.cat([q.weight, kv.weight]),
        f"{prefix}in_proj_bias": torch.cat([q.bias, kv.bias]),
        f"{prefix}out_proj.weight": attention.output.weight,
        f"{prefix}out_proj.bias": attention.output.bias,
    }


def _feed_forward_weights(layer: FeedForward) -> dict[str, Tensor]:
    return {
        "linear1.weight": layer.U.weight,
        "linear1.bias": layer.U.bias,
        "linear2.weight": layer.V.weight,
        "linear2.bias": layer.V.bias,
    }


def _norm_weights(*norms: nn.LayerNorm) -> dict[str, Tensor]:
    return {
        f"norm{i + 1}.{part}": getattr(norm, part)
        for i, norm in enumerate(norms)
        for part in ("weight", "bias")
    }


def encoder_layer(layer: EncoderLayer, heads: int) -> nn.TransformerEncoderLayer:
    """In training mode, in which torch does not take its own short cut."""
    around = (layer.around_attention, layer.around_feed_forward)
    dim, hidden = layer.feed_forward.U.in_features, layer.feed_forward.U.out_features
    module = nn.TransformerEncoderLayer(
        dim, heads, hidden, 0.0, batch_first=True, norm_first=around[0].pre
    )
    _put(
        module,
        _multihead_weights(layer.attention, "self_attn.")
        | _feed_forward_weights(layer.feed_forward)
        | _norm_weights(*(one.norm for one in around)),
    )
    return module


def decoder_layer(layer: DecoderLayer, heads: int) -> nn.TransformerDecoderLayer:
    assert layer.reading is not None
    assert layer.around_reading is not None
    around = (layer.around_self, layer.around_reading, layer.around_feed_forward)
    dim, hidden = layer.feed_forward.U.in_features, layer.feed_forward.U.out_features
    module = nn.TransformerDecoderLayer(
        dim, heads, hidden, 0.0, batch_first=True, norm_first=around[0].pre
    )
    _put(
        module,
        _multihead_weights(layer.self_attention, "self_attn.")
        | _multihead_weights(layer.reading, "multihead_attn.")
        | _feed_forward_weights(layer.feed_forward)
        | _norm_weights(*(one.norm for one in around)),
    )
    return module
