import { afterEach, describe, expect, it, vi } from "vitest";
import { readOptions } from "../errors/read-options.ts";
import { createLogger, silentLogger } from "./logger.ts";
import { checkLogChoice, createRunnableLogger, logChoiceTable } from "./runnable-logger.ts";

afterEach(() => vi.restoreAllMocks());

const wrong = (message: string) => expect.objectContaining({ code: "invalid_config", message });

describe("the choice of a log", () => {
  const read = (options: object) => readOptions(logChoiceTable, options, { owner: "Agent" });

  it("is a logger or a level, or none", () => {
    expect(read({})).toEqual({ logger: undefined, logLevel: undefined });
    expect(read({ logger: silentLogger })).toEqual({ logger: silentLogger, logLevel: undefined });
    for (const logLevel of ["debug", "info", "warn", "error", "silent"])
      expect(read({ logLevel })).toEqual({ logger: undefined, logLevel });
  });

  it.each([
    { logLevel: "trace" },
    { logLevel: "" },
    { logLevel: true },
    { logger: {} },
    { logger: console },
    { logger: null },
  ])("is not %j", (options) => {
    expect(() => read(options)).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });

  it("is not both", () => {
    const message =
      "logLevel must be left out beside logger. The logger has a level of its own: createLogger({ level }) sets it.";
    expect(() => checkLogChoice({ logger: silentLogger, logLevel: "silent" })).toThrow(wrong(message));
    for (const choice of [
      {},
      { logger: silentLogger },
      { logLevel: "debug" as const },
      { logger: undefined, logLevel: "info" as const },
    ])
      expect(() => checkLogChoice(choice)).not.toThrow();
  });
});

describe("the logger of a runnable", () => {
  it("is none without a choice", () => {
    expect(createRunnableLogger("a", {})).toBeUndefined();
    expect(createRunnableLogger("a", { logger: undefined, logLevel: undefined })).toBeUndefined();
  });

  it("is that which was given, with the name behind its prefix and its own level", () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "info", prefix: "app", color: false, write: (line) => void lines.push(line) });
    const own = createRunnableLogger("writer", { logger });
    expect(own?.level).toBe("info");
    own?.debug("hidden");
    own?.info("shown");
    expect(lines).toEqual([expect.stringContaining("app:writer")]);
  });

  it("writes to the standard error stream from the chosen level on, with the name as prefix", () => {
    const lines: string[] = [];
    const stream = { write: (line: string) => lines.push(line) > 0 } as unknown as typeof process.stderr;
    vi.spyOn(process, "stderr", "get").mockReturnValue(stream);
    const own = createRunnableLogger("writer", { logLevel: "warn" });
    own?.info("hidden");
    own?.warn("shown");
    expect(own?.level).toBe("warn");
    expect(lines).toEqual([expect.stringMatching(/writer.*shown|shown.*writer/)]);
  });

  it("is silent by choice", () => {
    expect(createRunnableLogger("a", { logLevel: "silent" })).toBe(silentLogger);
  });
});
