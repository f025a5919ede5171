import { expect, it, vi } from "vitest";
import { setAccent } from "./set-accent.ts";

it("the accent of the host takes the place of that of the style sheet", () => {
  const setProperty = vi.fn<(name: string, value: string) => void>();
  const element = { style: { setProperty } } as unknown as HTMLElement;
  setAccent(undefined, element);
  expect(setProperty).not.toHaveBeenCalled();
  setAccent({ light: "#00695c", dark: "#80cbc4" }, element);

  expect(setProperty.mock.calls).toEqual([
    ["--accent", "light-dark(#00695c, #80cbc4)"],
    ["--accent-soft", "color-mix(in srgb, var(--accent) 10%, var(--surface))"],
  ]);
});
