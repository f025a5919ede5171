import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createLogger, TroupeError } from "@troupe/core";
import type { ExecutableTool, RunContext, ToolDef, ToolReturn, ToolSource } from "@troupe/core";
import { FakeService } from "./fake-service.ts";
import type { ConnectOptions, ToolkitSubject, ToolSample } from "./toolkit-subject.ts";

/** The credential of the suite, which no text may contain. */
export const canary = "canary-4f7Kq2-credential";

/** A case of the suite on one toolkit, with a fake of its service. */
export class ToolkitTrial {
  readonly subject: ToolkitSubject;
  readonly service: FakeService;

  private constructor(subject: ToolkitSubject, service: FakeService) {
    this.subject = subject;
    this.service = service;
  }

  static async start(subject: ToolkitSubject): Promise<ToolkitTrial> {
    return new ToolkitTrial(subject, await FakeService.start());
  }

  /** Makes the toolkit for the fake service, with the canary as credential if it needs one. */
  source(options: Partial<ConnectOptions> = {}): ToolSource {
    const { credential } = this.subject;
    const own = credential === undefined ? {} : { credential: canary };
    return this.subject.connect({ baseURL: this.service.url, ...own, ...options });
  }

  /** Runs a check for each tool of the toolkit. */
  async eachTool(check: (name: string, sample: ToolSample) => Promise<void>): Promise<void> {
    for (const [name, sample] of Object.entries(this.subject.tools)) await check(name, sample);
  }

  /** Returns the error of a call, which must be a `TroupeError`. */
  async failure(name: string, call: CallOptions = {}): Promise<TroupeError> {
    const outcome = await this.call(name, call).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    assert.ok("error" in outcome, `${name} answered ${inspect(outcome).slice(0, 500)}, and should have failed`);
    assert.ok(TroupeError.is(outcome.error), `${name} threw ${inspect(outcome.error)}`);
    return outcome.error;
  }

  /** Calls a tool with the arguments of its sample. */
  async call(name: string, { source = this.source(), signal, args }: CallOptions = {}): Promise<ToolReturn> {
    const tool = await toolOf(source, name);
    const sample = this.subject.tools[name]?.args;
    return await tool.execute(structuredClone(args ?? sample ?? {}), contextWith(signal));
  }

  async close(): Promise<void> {
    await this.service.close();
  }
}

type CallOptions = { source?: ToolSource; signal?: AbortSignal; args?: Record<string, unknown> };

/** Returns a tool of a source by its name. */
export async function toolOf(source: ToolSource, name: string): Promise<ExecutableTool> {
  const isWanted = (tool: ToolDef): tool is ExecutableTool => tool.name === name && tool.execute !== undefined;
  const tool = (await source.getTools()).find(isWanted);
  assert.ok(tool !== undefined, `the toolkit has no tool ${name} that it executes`);
  return tool;
}

/** Returns a run context in the form that tools get, for calls outside of a run. */
export function contextWith(signal = new AbortController().signal): RunContext {
  const ids = { runId: "run-1", agentName: "suite", sessionId: "session-1" };
  return { ...ids, metadata: {}, signal, logger: createLogger(), toolCallId: "call-1", idempotencyKey: "key-1" };
}

/**
 * Returns everything that a program can read from a value: an error with its causes and stacks, a result with its
 * artifacts.
 */
export function allTextOf(value: unknown): string {
  return `${inspect(value, { depth: 20, showHidden: true, maxStringLength: null })}\n${JSON.stringify(value)}`;
}
