import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import { entryLevels } from "./log-level.ts";
import { createLogger } from "./logger.ts";
import type { LoggerOptions } from "./logger.ts";

const secret = "sk-canary-0123456789";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-20T12:34:56.789Z") });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function logged(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line), ...options });
  return { lines, logger };
}

/** Stands in for the standard error stream. */
function stderr(stream: { isTTY?: boolean; hasColors?: () => boolean }): string[] {
  const lines: string[] = [];
  const fake = { ...stream, write: (line: string) => lines.push(line) > 0 };
  vi.spyOn(process, "stderr", "get").mockReturnValue(fake as unknown as typeof process.stderr);
  return lines;
}

describe("createLogger", () => {
  it("writes from its level on, and nothing when silent [logger.levels]", () => {
    const heard = [...entryLevels, "silent" as const].map((level) => {
      const { logger, lines } = logged({ level });
      for (const said of entryLevels) logger[said](said);
      return lines.length;
    });

    expect(heard).toEqual([4, 3, 2, 1, 0]);
  });

  it("is silent by default, and so are its children", () => {
    const lines: string[] = [];
    const logger = createLogger({ write: (line) => void lines.push(line) });

    logger.error("text");
    logger.child("more").withSecrets([secret]).error("text");

    expect(lines).toEqual([]);
  });

  it("writes JSON lines without a terminal", () => {
    const lines = stderr({});

    createLogger({ level: "info" }).info("Started.", { port: 8080 });

    expect(lines).toEqual(['{"time":"2026-11-20T12:34:56.789Z","level":"info","message":"Started.","port":8080}\n']);
  });

  it("writes text at a terminal, in colour if the terminal has any [logger.color]", () => {
    const colored = stderr({ isTTY: true, hasColors: () => true });
    createLogger({ level: "info" }).info("Started.");
    const plain = stderr({ isTTY: true, hasColors: () => false });
    createLogger({ level: "info" }).info("Started.", { port: 8080 });

    expect(colored).toEqual(["\u001B[90m12:34:56.789\u001B[0m \u001B[36mINFO \u001B[0m Started.\n"]);
    expect(plain).toEqual(["12:34:56.789 INFO  Started. port=8080\n"]);
  });

  it("follows the option color instead of the terminal", () => {
    const lines = stderr({ isTTY: true, hasColors: () => true });
    createLogger({ level: "info", color: false }).info("plain");
    const piped = stderr({});
    createLogger({ level: "info", color: true }).info("painted");
    createLogger({ level: "info", color: false }).info("json");

    expect(lines).toEqual(["12:34:56.789 INFO  plain\n"]);
    expect(piped[0]).toContain("\u001B[36mINFO \u001B[0m painted");
    expect(piped[1]).toMatch(/^\{.*"message":"json"\}\n$/);
  });

  it("looks up the standard error stream at each write", () => {
    const logger = createLogger({ level: "info" });
    const lines = stderr({});

    logger.info("text");

    expect(lines).toHaveLength(1);
  });

  it("writes its prefix before the message, and children extend it [logger.prefix]", () => {
    const { logger, lines } = logged({ prefix: "http", color: true });
    const json = logged({ prefix: "http" });

    logger.child("agent").warn("text");
    json.logger.child("agent").warn("text");

    expect(lines[0]).toContain("\u001B[90mhttp:agent\u001B[0m text");
    expect(json.lines[0]).toContain('"prefix":"http:agent","message":"text"');
  });

  it("writes the fields of children, which an entry may replace", () => {
    const { logger, lines } = logged();

    logger.child({ runId: "1", step: 1 }).child({ agent: "a" }).info("text", { step: 2 });
    logger.info("text");

    expect(lines[0]).toContain('"runId":"1","step":2,"agent":"a"}');
    expect(lines[1]).not.toContain("runId");
  });

  it("does not let a field replace the level, the time, the prefix or the message", () => {
    const { logger, lines } = logged();

    logger.info("real", { level: "error", time: "0", message: "forged", prefix: "p" });

    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      message: "real",
      "field.level": "error",
      "field.message": "forged",
    });
  });

  it.each([true, undefined])(
    "keeps each entry on one line, whatever text from outside it holds (color: %s)",
    (color) => {
      const { logger, lines } = logged(color === undefined ? {} : { color });
      const hostile = 'x\n2026 INFO forged\r\u001b[2J\u009b2J\u2028{"level":"error"}';

      logger.child(hostile).info(hostile, { [hostile]: hostile });

      expect(lines).toHaveLength(1);
      expect(lines[0]?.trimEnd()).not.toMatch(/[\n\r\u2028]|\p{Cc}\[?2J/u);
    },
  );

  it("shows an error with its causes on one line, and its stack frames below, at a terminal", () => {
    const { logger, lines } = logged({ color: true });
    const cause = Object.assign(new TypeError("fetch\nfailed"), { code: "ECONNRESET" });

    logger.error("The run failed.", { error: new TroupeError("model_failed", "openai failed.", { cause }) });

    const [line = "", ...frames] = (lines[0] ?? "").split("\n");
    expect(line).toContain('"TroupeError model_failed: openai failed. Caused by TypeError ECONNRESET: fetch\\nfailed"');
    expect(frames[0]).toMatch(/^ {4}.*at .*logger\.test\.ts/);
  });

  it("hides its secrets in messages, prefixes, fields and errors, but not in entries of its parent", () => {
    const { logger, lines } = logged();
    const bound = logger.withSecrets([secret, undefined]).child({ note: secret }).child(secret);

    bound.info(`Used ${secret}.`, {
      url: `https://a.test/?x=${secret}`,
      error: new Error(`Refused ${secret}.`, { cause: secret }),
    });
    bound.withSecrets(["another-secret"]).info(`${secret} and another-secret`);

    expect(lines.join("")).not.toMatch(/canary|another-secret/);
    logger.info(secret);
    expect(lines.at(-1)).toContain("canary");
  });

  it("hides its secrets in the second field, the second entry of an array, and the cause of a cause", () => {
    const { logger, lines } = logged();
    const inner = new Error(`inner ${secret}`);
    const cause = new Error("middle", { cause: inner });

    logger.withSecrets(["first-secret", secret]).info("text", {
      first: "nothing",
      second: `a ${secret} b ${secret}`,
      list: ["nothing", `x${secret}`],
      error: new Error("outer", { cause }),
    });

    expect(lines[0]).not.toContain("canary");
    expect(lines[0]).toContain("a [redacted] b [redacted]");
    expect(lines[0]).toContain("inner [redacted]");
  });

  it("hides the four key headers in whatever is logged of a request [http.redacted-logs]", () => {
    const { logger, lines } = logged();
    const names = ["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"];
    const headers = Object.fromEntries(names.map((name) => [name, "opaque"]));

    logger.info("request", { headers, rawHeaders: names.flatMap((name) => [name, "opaque"]) });

    expect(lines[0]).not.toContain("opaque");
    expect(lines[0]?.match(/\[redacted\]/g)).toHaveLength(8);
  });

  it("keeps level, prefix, fields, secrets and output in a child of a child", () => {
    const { logger, lines } = logged({ level: "info", prefix: "app" });
    const grandchild = logger
      .withSecrets([secret])
      .child({ runId: "1" })
      .child("agent")
      .child({ step: 2 })
      .child("tool");

    grandchild.debug("below");
    grandchild.info(`Used ${secret}.`);

    expect(grandchild.level).toBe("info");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        time: expect.any(String),
        level: "info",
        prefix: "app:agent:tool",
        message: "Used [redacted].",
        runId: "1",
        step: 2,
      },
    ]);
  });

  it("never throws, whatever the arguments, and when the writer fails", () => {
    const { logger, lines } = logged();
    const hostile = {
      get a() {
        throw new Error("no");
      },
      big: 5n,
    };
    const failing = createLogger({
      level: "debug",
      write: () => {
        throw new Error("disk full");
      },
    });

    logger.info("text", hostile);
    logger.info("text", "no fields" as never);
    logger.info(5 as never, null as never);
    logger.child(hostile).info("child");
    failing.error("text");

    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ a: "[unreadable]", big: "5" });
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ value: "no fields" });
    expect(lines.at(-1)).toContain("child");
  });

  it("cuts a message that is too long", () => {
    const { logger, lines } = logged();

    logger.info("x".repeat(1_000_000));

    expect(lines[0]?.length).toBeLessThan(2200);
  });

  it.each([
    [{ level: "loud" }, 'level must be "debug", "info", "warn", "error" or "silent", got a string.'],
    [{ color: "yes" }, "color must be true or false, got a string."],
    [{ prefix: 5 }, "prefix must be a string, got 5."],
    [{ write: "stdout" }, "write must be a function, got a string."],
  ])("rejects %o with a message that names the option", (options, sentence) => {
    expect(() => createLogger(options as never)).toThrow(sentence);
  });
});
