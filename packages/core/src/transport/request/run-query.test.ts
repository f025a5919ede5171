import { describe, expect, it } from "vitest";
import { readRunQuery } from "./run-query.ts";

describe("readRunQuery", () => {
  it.each([
    ["", false, false],
    ["?", false, false],
    ["?early=1", true, false],
    ["?early=0", false, false],
    ["?onDisconnect=cancel", false, true],
    ["?onDisconnect=cancel&early=1", true, true],
    ["?other=1&early=1", true, false],
    ["?Early=1&ondisconnect=cancel", false, false],
    ["?%65arly=1", true, false],
  ])("reads %j", (search, early, endsWithClient) => {
    expect(readRunQuery({ search })).toEqual({ early, endsWithClient });
  });

  it.each([
    ["early", ""],
    ["early", "true"],
    ["early", "2"],
    ["early", "01"],
    ["early", "1&early=1"],
    ["early", "0&early=1"],
    ["onDisconnect", ""],
    ["onDisconnect", "continue"],
    ["onDisconnect", "Cancel"],
    ["onDisconnect", "cancel&onDisconnect=cancel"],
  ])("refuses %s=%s", (name, value) => {
    const message = expect.stringContaining(`${name} must be`) as string;
    const refused = expect.objectContaining({ code: "invalid_request", message }) as Error;
    expect(() => readRunQuery({ search: `?${name}=${value}` })).toThrow(refused);
  });
});
