import type { StoredValue } from "./browser-storage.ts";

/** The colour schemes to choose from. `system` follows the setting of the device. */
export const themes = ["system", "light", "dark"] as const;

/** A colour scheme. */
export type ThemeName = (typeof themes)[number];

/** The colour scheme that the user has chosen. The browser remembers it. */
export class Theme {
  readonly #stored: StoredValue;
  readonly #style: Pick<CSSStyleDeclaration, "colorScheme">;

  /** @param style the style of the document's element */
  constructor(stored: StoredValue, style: Pick<CSSStyleDeclaration, "colorScheme">) {
    this.#stored = stored;
    this.#style = style;
    this.#show();
  }

  /** The chosen colour scheme. */
  get name(): ThemeName {
    return this.#stored.read(isTheme) ?? "system";
  }

  /** Shows the page in a colour scheme from now on. */
  choose(name: ThemeName): void {
    this.#stored.write(name === "system" ? undefined : name);
    this.#style.colorScheme = name === "system" ? "" : name;
  }

  #show(): void {
    const { name } = this;
    if (name !== "system") this.#style.colorScheme = name;
  }
}

function isTheme(value: unknown): value is ThemeName {
  return themes.some((name) => name === value);
}
