import { createLogger } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServerLog } from "./server-logs.ts";

const tooMuch = "The server writes more than is logged. The rest of this minute is left out.";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A log of a server, and a function that returns the lines that were logged since its last call. */
function startLog() {
  const lines: string[] = [];
  const log = new ServerLog({ ...createLogger(), debug: (line) => void lines.push(line) });
  return { log, shown: () => lines.splice(0) };
}

describe("the log of a server", () => {
  it("has each line that is complete, and the rest when its end comes", () => {
    const { log, shown } = startLog();
    log.append("one\ntw");
    expect(shown()).toEqual(["one"]);
    log.append("o\n\n  \nthree\nfo");
    expect(shown()).toEqual(["two", "three"]);
    log.append("ur");
    expect(shown()).toEqual([]);
    log.append("\n");
    expect(shown()).toEqual(["four"]);
    log.append("\n");
    expect(shown()).toEqual([]);
  });

  it("has 2,000 characters of a line, whole ones, also of one that comes in pieces", () => {
    const { log, shown } = startLog();
    const long = `${"x".repeat(1999)}😀`;
    log.write(long);
    log.append(`${"y".repeat(2000)}\n`);
    for (const piece of [long, "z", "\n"]) log.append(piece);
    expect(shown()).toEqual(["x".repeat(1999), "y".repeat(2000), `${"x".repeat(1999)}z`]);
  });

  it("has 64 KB a minute, tells once of what is left out, and goes on in the next minute", () => {
    const { log, shown } = startLog();
    const line = "x".repeat(1024);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 63; n++) log.write(line);
      log.write("y".repeat(1023));
      expect(shown()).toEqual([...Array.from({ length: 63 }, () => line), "y".repeat(1023)]);
      log.write("the last one");
      log.write("more");
      vi.advanceTimersByTime(59_999);
      log.write("more");
      expect(shown()).toEqual(["the last one", tooMuch]);
      vi.advanceTimersByTime(1);
    }
  });

  it("counts the minute from its first line, and empty lines as nothing", () => {
    const { log, shown } = startLog();
    vi.advanceTimersByTime(100_000);
    for (let n = 0; n < 64; n++) log.write("x".repeat(1024));
    expect(shown()).toHaveLength(65);
    log.write(" ");
    vi.advanceTimersByTime(60_000);
    log.write("one");
    expect(shown()).toEqual(["one"]);
  });
});
