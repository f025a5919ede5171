import { expect, it } from "vitest";
import { addressOfRun, readInspectorPlace } from "./inspector-place.ts";

it.each([
  [{}, "#/inspector"],
  [{ runId: "a/é?b" }, "#/inspector/a%2F%C3%A9%3Fb"],
  [{ sessionId: "s&t" }, "#/inspector?session=s%26t"],
  [{ runId: "r", sessionId: "s" }, "#/inspector/r?session=s"],
])("the place %j has the address %s", (place, address) => {
  expect(addressOfRun(place)).toBe(address);
  expect(readInspectorPlace(address)).toEqual({ runId: undefined, sessionId: undefined, ...place });
});

it.each(["", "#/", "#/inspector/%", "#/inspector/a/b", "#/inspector/?session=", "#/s/x"])("%s names no run", (hash) => {
  expect(readInspectorPlace(hash)).toEqual({ runId: undefined, sessionId: undefined });
});
