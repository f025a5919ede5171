import { describe, expect, it } from "vitest";
import { readOptions } from "../../base/errors/read-options.ts";
import type { Logger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { memoryOptions, turnNumber, warnCaller } from "./memory-options.ts";

const storage = new InMemoryStorage();
const model = new ScriptedModel();
const read = (options: unknown) => readOptions(memoryOptions, options, { owner: "Memory" });

describe("the options of a memory", () => {
  it("have their defaults", () => {
    expect(read({})).toStrictEqual({ maxShortTermMessages: 50, enableLongTerm: false });
    const all = { storage, model, maxShortTermMessages: 1, enableLongTerm: true };
    expect(read(all)).toStrictEqual(all);
  });

  it.each<[object, string]>([
    [{ maxShortTermMessages: 0 }, "maxShortTermMessages must be a positive integer, got 0."],
    [{ maxShortTermMessages: 1.5 }, "maxShortTermMessages must be a positive integer, got 1.5."],
    [{ enableLongTerm: "yes" }, "enableLongTerm must be true or false, got a string."],
    [
      { storage: { get: () => {}, set: () => {} } },
      "storage must be a StorageDriver, with the methods get, set and list",
    ],
    [{ model: {} }, "model must be a ModelProvider, with the methods generate"],
    [{ window: 3 }, 'Unknown option "window" of Memory.'],
  ])("refuse %j", (options, message) => {
    expect(() => read(options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
    );
  });

  it.each([
    [0, true],
    [7, true],
    [-1, false],
    [0.5, false],
    ["1", false],
    [Number.NaN, false],
  ])("take %j for the number of a turn: %s", (value, fits) => {
    const refused = fits ? [] : ["through must be the number of a turn, or 0"];
    const problems: string[] = [];
    try {
      turnNumber(value, "through", {});
    } catch (error) {
      problems.push((error as Error).message.split(", got")[0] ?? "");
    }

    expect(problems).toEqual(refused);
  });
});

describe("warnCaller", () => {
  const warning = { code: "memory_failed", message: "It failed.", error: "x" };

  function listeners() {
    const seen: unknown[] = [];
    const logger = { warn: (...given: unknown[]) => void seen.push(["logger", ...given]) } as unknown as Logger;
    const onWarning = (...given: unknown[]) => void seen.push(["caller", ...given]);
    return { seen, logger, onWarning };
  }

  it("tells the caller alone, and the logger where the caller does not listen", () => {
    const { seen, logger, onWarning } = listeners();
    warnCaller({ onWarning, logger }, warning);
    warnCaller({ logger }, warning);
    warnCaller({}, warning);

    expect(seen).toStrictEqual([
      ["caller", "memory_failed", "It failed.", { error: "x" }],
      ["logger", "It failed.", { error: "x", code: "memory_failed" }],
    ]);
  });
});
