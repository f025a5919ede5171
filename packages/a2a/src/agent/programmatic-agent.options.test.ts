import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { ProgrammaticAgent } from "./programmatic-agent.ts";
import type { ProgrammaticAgentOptions } from "./programmatic-agent.ts";

describe("the options of a ProgrammaticAgent", () => {
  const answer = async (): Promise<void> => {};
  const aName = "name must be a string that is not blank, got";
  it.each<[unknown, string]>([
    [undefined, "The options of ProgrammaticAgent must be an object, got undefined."],
    [{ answer }, `${aName} undefined.`],
    [{ name: " ", answer }, `${aName} a string.`],
    [{ name: "helper" }, "answer must be a function, got undefined."],
    [{ name: "helper", answer: "Hi" }, "answer must be a function, got a string."],
    [{ name: "helper", answer, description: 1 }, "description must be a string, got 1."],
    [{ name: "helper", answer, effect: "never" }, 'effect must be "pure", "idempotent" or "once", got a string.'],
    [
      { name: "helper", answer, logger: answer },
      "logger must be a logger such as createLogger({ level }), with the methods debug, info, warn, error, child and withSecrets, got a function.",
    ],
    [
      { name: "helper", answer, tools: [] },
      'Unknown option "tools" of ProgrammaticAgent "helper". Expected name, description, answer, effect or logger.',
    ],
  ])("are refused, and told how to mend them: %j", (options, message) => {
    expect(() => new ProgrammaticAgent(options as ProgrammaticAgentOptions)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it("are shown by the agent", () => {
    const { name, description, effect, kind } = new ProgrammaticAgent({
      name: "helper",
      answer,
      description: "",
      effect: "pure",
    });
    expect({ name, description, effect, kind }).toEqual({
      name: "helper",
      description: "",
      effect: "pure",
      kind: "agent",
    });
    const plain = new ProgrammaticAgent({ name: "helper", answer });
    expect([plain.description, plain.effect]).toEqual([undefined, undefined]);
  });

  it("have a logger, which the program finds in its context", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const log: ProgrammaticAgentOptions["answer"] = async ({ context }) => context.logger?.info("canary");
    await new ProgrammaticAgent({ name: "helper", answer: log, logger }).run("Hi");
    expect(lines.filter((line) => line.includes("canary"))).toHaveLength(1);
  });
});
