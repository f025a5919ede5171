import type { Settings } from "./settings.ts";

/** Sets the accent colours of the host, in place of those of the style sheet. */
export function setAccent({ accent }: Pick<Settings, "accent">, { style }: Pick<HTMLElement, "style">): void {
  if (accent === undefined) return;
  style.setProperty("--accent", `light-dark(${accent.light}, ${accent.dark})`);
  style.setProperty("--accent-soft", "color-mix(in srgb, var(--accent) 10%, var(--surface))");
}
