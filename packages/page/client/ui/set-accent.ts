/** The accent colours of the host, for the light and the dark scheme. */
type Accent = { readonly light: string; readonly dark: string };

/** Sets the accent colours of the host, if there are any, in place of the colours of the style sheet. */
export function setAccent(accent: Accent | undefined, { style }: Pick<HTMLElement, "style">): void {
  if (accent === undefined) return;
  style.setProperty("--accent", `light-dark(${accent.light}, ${accent.dark})`);
  style.setProperty("--accent-soft", "color-mix(in srgb, var(--accent) 10%, var(--surface))");
}
