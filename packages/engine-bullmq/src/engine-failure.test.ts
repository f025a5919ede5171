import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FailureLog, isPassing, toEngineFailure } from "./engine-failure.ts";

const coded = (message: string, code: unknown) => Object.assign(new Error(message), { code, command: "secret" });

describe("toEngineFailure", () => {
  it.each([
    { thrown: coded("down", "EPIPE"), message: "down" },
    { thrown: new Error("down"), message: "down" },
    { thrown: coded("down", 5), message: "down" },
    { thrown: coded("", "EPIPE"), message: "EPIPE" },
    { thrown: "gone", message: "gone" },
    { thrown: null, message: "null" },
    { thrown: new AggregateError([coded("first", "E1"), coded("second", "E2")], ""), message: "first" },
    { thrown: new AggregateError([new Error("inner")], "outer"), message: "outer" },
  ])("tells of $message, and keeps no command", ({ thrown, message }) => {
    const failure = toEngineFailure(thrown);

    expect(failure.code).toBe("storage_unavailable");
    expect(failure.message).toBe(
      `The queue of the engine cannot be used: ${message}. Check that its PostgreSQL or Redis is running and may be used.`,
    );
    expect(failure.cause).toMatchObject({ message });
    expect(failure.cause).not.toHaveProperty("command");
  });

  it("keeps a code that is text, and no other", () => {
    expect(toEngineFailure(coded("down", "EPIPE")).cause).toHaveProperty("code", "EPIPE");
    expect(toEngineFailure(coded("down", 5)).cause).not.toHaveProperty("code");
    expect(toEngineFailure(new AggregateError([coded("first", "E1")], "")).cause).toHaveProperty("code", "E1");
  });

  it("returns a TroupeError as it is", () => {
    const ours = new TroupeError("conflict", "Taken.");

    expect(toEngineFailure(ours)).toBe(ours);
  });
});

describe("isPassing", () => {
  it.each([
    ["", "08006", true],
    ["", "57P01", true],
    ["", "57014", false],
    ["", "53300", true],
    ["", "53100", false],
    ["", "ECONNRESET", true],
    ["", "XECONNRESET", false],
    ["Connection Terminated", undefined, true],
    ["a timeout", "42P01", true],
    ["Client is not queryable", undefined, true],
    ["broken", undefined, false],
  ])("isPassing of %j with the code %s is %s", (message, code, expected) => {
    expect(isPassing(coded(message, code))).toBe(expected);
  });
});

describe("FailureLog", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function open() {
    const [warn, error, info] = [vi.fn<Logger["warn"]>(), vi.fn<Logger["error"]>(), vi.fn<Logger["info"]>()];
    return { log: new FailureLog({ warn, error, info } as unknown as Logger), warn, error, info };
  }

  it("warns once in ten seconds of the same failure, whatever the numbers in it", () => {
    const { log, warn } = open();
    log.warn("Lost.", coded("no answer from 10.0.0.1:1", "EPIPE"));
    vi.advanceTimersByTime(9999);
    log.warn("Lost.", coded("no answer from 10.0.0.2:2", "EPIPE"));

    expect(warn.mock.calls).toEqual([["Lost.", { reason: "no answer from 10.0.0.1:1", code: "EPIPE" }]]);
    vi.advanceTimersByTime(1);
    log.warn("Lost.", new Error("no answer from 10.0.0.3:3"));
    expect(warn.mock.lastCall).toStrictEqual(["Lost.", { reason: "no answer from 10.0.0.3:3" }]);
    vi.advanceTimersByTime(9999);
    log.warn("Lost.", new Error("no answer from 10.0.0.3:3"));
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it("tells different failures apart, and forgets them after a hundred", () => {
    const { log, warn } = open();
    const names = Array.from({ length: 100 }, (_, index) => "x".repeat(index + 1));
    for (const name of names) log.warn(name, "down");
    log.warn("x", "down");
    expect(warn).toHaveBeenCalledTimes(100);
    log.warn("x", "broken");
    log.warn("x", "down");

    expect(warn).toHaveBeenCalledTimes(102);
  });

  it("passes errors and news on each time, and works without a logger", () => {
    const { log, warn, error, info } = open();
    log.error("Broken.");
    log.error("Broken.");
    log.info("Back.");
    new FailureLog(undefined).warn("Lost.", "down");

    expect(error.mock.calls).toEqual([["Broken."], ["Broken."]]);
    expect(info.mock.calls).toEqual([["Back."]]);
    expect(warn).not.toHaveBeenCalled();
  });
});
