// A picture that moves: its time follows a slider, or runs.

import { find } from "/static/dom.js";

// Go through the moments of a picture that moves, or let it move again.
export function play(svg, node) {
  const seconds = Number(svg.dataset.seconds), slider = find(".step input", node), again = find(".again", node);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const tell = () => { find(".step output", node).textContent = `${slider.value} of ${slider.max}`; };
  find(".step", node).hidden = again.hidden = false;
  slider.max = String(Math.round(30 * seconds));
  const follow = () => {
    if (!svg.isConnected || svg.animationsPaused()) return;
    slider.value = String(Math.round(Math.min(svg.getCurrentTime() / seconds, 1) * Number(slider.max)));
    tell();
    if (svg.getCurrentTime() < seconds) requestAnimationFrame(follow);
  };
  slider.oninput = () => {
    svg.pauseAnimations();
    svg.setCurrentTime(Number(slider.value) / Number(slider.max) * seconds);
    tell();
  };
  again.onclick = () => { svg.setCurrentTime(0); svg.unpauseAnimations(); follow(); };
  slider.value = slider.max;
  if (still) slider.oninput(); else again.onclick();
}
