import { afterEach, describe, expect, it, vi } from "vitest";
import { addressOf, readPlace } from "./place.ts";
import { readSettings } from "./settings.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the settings of the document", () => {
  const written = { title: "é", suggestions: { a: ["b"] }, hasUsers: true, api: "/api", base: "." };

  it.each([
    [{}, { api: "http://h/api/", base: "http://h/page/", inspectorStyle: undefined }],
    [{ api: "/api/" }, { api: "http://h/api/", base: "http://h/page/", inspectorStyle: undefined }],
    [
      { api: "https://other/x", inspectorStyle: "i.css", chartStyle: "c.css" },
      {
        api: "https://other/x/",
        base: "http://h/page/",
        inspectorStyle: "http://h/page/i.css",
        chartStyle: "http://h/page/c.css",
      },
    ],
  ])("the settings of the document with %j have the addresses %j", (fields, addresses) => {
    vi.stubGlobal("location", { origin: "http://h", href: "http://h/page/" });
    const element = { dataset: { settings: JSON.stringify({ ...written, ...fields }) } } as unknown as HTMLElement;
    const { api, base, inspectorStyle, chartStyle, ...others } = readSettings(element);

    expect({
      api: api.href,
      base: base.href,
      inspectorStyle: inspectorStyle?.href,
      chartStyle: chartStyle?.href,
    }).toEqual(addresses);
    const welcome = "What can I help you with?";
    const ours = { welcome, logo: undefined, accent: undefined, hasKeys: true, shareMs: undefined, isShared: false };
    expect(others).toEqual({ title: "é", suggestions: { a: ["b"] }, hasUsers: true, hasSchedules: false, ...ours });
  });
});

it.each([true, false])("the settings say whether the caller may have schedules: %s", (hasSchedules) => {
  vi.stubGlobal("location", { origin: "http://h", href: "http://h/page/" });
  const settings = JSON.stringify({ api: "/", base: ".", hasSchedules });
  const element = { dataset: { settings } } as unknown as HTMLElement;

  expect(readSettings(element).hasSchedules).toBe(hasSchedules);
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

describe("the address of the page", () => {
  it.each([
    ["", { view: "chat", sessionId: undefined }],
    ["#/", { view: "chat", sessionId: undefined }],
    ["#/s/a%2F%C3%A9", { view: "chat", sessionId: "a/é" }],
    ["#/s/", { view: "chat", sessionId: undefined }],
    ["#/s/a/b", { view: "chat", sessionId: undefined }],
    ["#/s/%", { view: "chat", sessionId: undefined }],
    ["x#/s/a", { view: "chat", sessionId: undefined }],
    ["#/inspector", { view: "inspector" }],
    ["#/inspector/r1", { view: "inspector" }],
  ])("%j names %j", (hash, place) => {
    expect(readPlace(hash)).toEqual(place);
  });

  it.each([undefined, "a", "a/é%"])("the address of the page of the session %j is read again", (sessionId) => {
    expect(readPlace(addressOf(sessionId))).toEqual({ view: "chat", sessionId });
  });

  it("the address of the page of no session is the beginning", () => {
    expect(addressOf(undefined)).toBe("#/");
  });
});
