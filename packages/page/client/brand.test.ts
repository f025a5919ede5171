import { expect, it, vi } from "vitest";
import { setAccent } from "./brand.ts";
import { readSettings } from "./settings.ts";

it("the accent of the host takes the place of that of the style sheet", () => {
  const setProperty = vi.fn<(name: string, value: string) => void>();
  const element = { style: { setProperty } } as unknown as HTMLElement;
  setAccent({ accent: undefined }, element);
  expect(setProperty).not.toHaveBeenCalled();
  setAccent({ accent: { light: "#00695c", dark: "#80cbc4" } }, element);

  expect(setProperty.mock.calls).toEqual([
    ["--accent", "light-dark(#00695c, #80cbc4)"],
    ["--accent-soft", "color-mix(in srgb, var(--accent) 10%, var(--surface))"],
  ]);
});

it("the settings in the document have defaults for a host without a brand", () => {
  vi.stubGlobal("location", new URL("http://h/page/"));
  const read = (written: object) =>
    readSettings({ dataset: { settings: JSON.stringify({ api: "/", base: "./", ...written }) } } as never);

  expect(read({})).toMatchObject({
    welcome: "What can I help you with?",
    logo: undefined,
    hasKeys: true,
    accent: undefined,
  });
  const accent = { light: "#000000", dark: "#ffffff" };
  expect(read({ welcome: "é", logo: false, hasKeys: false, accent })).toMatchObject({
    welcome: "é",
    logo: false,
    hasKeys: false,
    accent,
  });
});
