import type { Json, ModelProvider, StorageDriver, ToolDef } from "@troupe/core";
import { defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { ScriptedAnswer, ScriptedRequest } from "@troupe/core/testing";
import { setTimeout as sleep } from "node:timers/promises";
import type { DyingProcess } from "./dying-process.ts";
import { entriesOf } from "./read-run-log.ts";

/** One call of a tool, as the world outside has seen it. */
export type Effect = { readonly tool: string; readonly at: string; readonly key: string; readonly result: Json };

type ToolEffect = NonNullable<ToolDef["effect"]>;

/** All that processes have done outside of their storage: the effects of tools, and what they should not have done. */
export class World {
  readonly effects: Effect[] = [];
  readonly wrongs: string[] = [];
  /**
   * True when two processes are at the run at the same time. One that is overtaken between the log of a call and the call
   * still makes it: a call of effect `once` is then asked about, and others may be made twice.
   */
  hasTwoProcesses = false;
  readonly #storage: StorageDriver;

  /** The storage is read behind the processes' back. */
  constructor(storage: StorageDriver) {
    this.#storage = storage;
  }

  /** Returns the effect of the call with an idempotency key, if it took place. */
  effectOf(key: string): Effect | undefined {
    return this.effects.find((effect) => effect.key === key);
  }

  /** Notes the call of a tool, and that it was wrong if its result is stored already. */
  async record(runId: string, effect: Effect): Promise<void> {
    this.effects.push(effect);
    if (this.hasTwoProcesses && effect.tool !== "once") return;
    const entries = await entriesOf(this.#storage, runId);
    if (entries.some(({ t, step, value }) => t === "done" && step === effect.at && !isAgain(value))) {
      this.wrongs.push(`${effect.tool} was called again at ${effect.at} after its result was stored`);
    }
  }
}

/** A step that was cut off and is repeated under a key of its own, because an answer says so. */
function isAgain(value: Json | undefined): boolean {
  return (value as { again?: boolean } | null | undefined)?.again === true;
}

/** A process of a scene, and the world that it acts on. */
export type Stage = {
  readonly process: DyingProcess;
  readonly world: World;
  readonly generation: number;
  readonly runId: string;
};

/** A tool that acts on the world. Its argument `at` is the step of the call. */
export function sceneTool(stage: Stage, effect: ToolEffect, options: Partial<ToolDef> = {}): ToolDef {
  const { process, world, runId } = stage;
  const name = effect;
  return defineTool({
    name,
    description: `A tool of effect ${effect}.`,
    parameters,
    effect,
    execute: async ({ at }, { idempotencyKey }) => {
      await process.goOn();
      const result = `${name} at ${String(at)}`;
      await world.record(runId, { tool: name, at: String(at), key: idempotencyKey, result });
      await process.goOn();
      await sleep(1);
      await process.goOn();
      return result;
    },
    ...options,
  });
}

/** The schema of the arguments of all tools in scenes. */
export const parameters = {
  type: "object",
  properties: { at: { type: "string" } },
  required: ["at"],
} as const;

/** A model of a scene: answers by what it is sent, word by word, and dies with its process. */
export function sceneModel(
  { process, generation }: Stage,
  answer: (request: ScriptedRequest) => ScriptedAnswer,
): ModelProvider {
  const tagged = (request: ScriptedRequest): ScriptedAnswer => {
    const given = answer(request);
    if (typeof given !== "string") return given;
    return { text: given.split(" ").map((word) => `${word}@${generation} `), chunkDelayMs: 12 };
  };
  const model = new ScriptedModel().respond(tagged);
  return {
    providerId: model.providerId,
    modelId: model.modelId,
    async generate(messages, options) {
      await process.goOn();
      const response = await model.generate(messages, options);
      await process.goOn();
      return response;
    },
    async *stream(messages, options) {
      for await (const chunk of model.stream(messages, options)) {
        await process.goOn();
        yield chunk;
      }
      await process.goOn();
    },
  };
}

/** Returns the text of a value without the marks of the attempts that wrote it. */
export function untagged(text: string): string {
  return text.replaceAll(/@\d+ /g, " ");
}

/** Returns the number of attempts that wrote words of a text. */
export function writersOf(text: string): number {
  return new Set(Array.from(text.matchAll(/@(\d+) /g), ([, generation]) => generation)).size;
}
