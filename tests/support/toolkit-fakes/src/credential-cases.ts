import assert from "node:assert/strict";
import { createLogger, Agent, EventBus } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { CanarySearch } from "@troupe-internal/vendor-fakes";
import type { Answer, FakeReply, FakeRequest } from "./fake-service.ts";
import type { ToolkitCases } from "./tool-cases.ts";
import type { ToolkitSubject } from "./toolkit-subject.ts";
import { allTextOf, canary, contextWith, toolOf } from "./toolkit-trial.ts";
import type { ToolkitTrial } from "./toolkit-trial.ts";

/** Cases about the credential of a toolkit. They set environment variables, so no other case may run concurrently. */
export function credentialCases({ credential }: ToolkitSubject): ToolkitCases {
  if (credential === undefined) return {};
  return {
    "reports a missing credential with the ways to give one, without a request": async (trial) =>
      await reportsMissing(trial, credential),
    "takes the credential of the environment, at each call": async (trial) => await takesVariables(trial, credential),
    "sends the credential of the option before that of the environment": async (trial) =>
      await prefersOption(trial, credential),
    "shows its credential in no result, error, event or log, whatever the service repeats": hidesCredential,
    "shows its credential in no error of a fetch of the user that quotes its request": hidesFromFetch,
  };
}

type Credential = NonNullable<ToolkitSubject["credential"]>;

async function reportsMissing(trial: ToolkitTrial, { option, environment }: Credential): Promise<void> {
  await withEnvironment(blank(environment), async () => {
    const source = trial.subject.connect({ baseURL: trial.service.url });
    await trial.eachTool(async (name) => {
      const error = await trial.failure(name, { source });
      assert.deepEqual([error.code, error.fields["problem"]], ["unauthorized", "credential_missing"]);
      for (const way of [option, ...environment]) assert.ok(error.message.includes(way), way);
    });
  });
  assert.deepEqual(trial.service.requests, []);
}

async function takesVariables(trial: ToolkitTrial, { environment }: Credential): Promise<void> {
  const source = trial.subject.connect({ baseURL: trial.service.url });
  for (const name of environment) {
    await withEnvironment({ ...blank(environment), [name]: canary }, async () => {
      await trial.eachTool(async (tool, { answer }) => {
        trial.service.answer(answer);
        await trial.call(tool, { source });
      });
    });
  }
  assert.ok(trial.service.requests.length >= environment.length);
  const search = new CanarySearch([canary]);
  for (const request of trial.service.requests) assert.ok(search.in(dumpOf(request)).length > 0);
}

async function prefersOption(trial: ToolkitTrial, { environment }: Credential): Promise<void> {
  const others = Object.fromEntries(environment.map((name) => [name, "of-the-environment"]));
  await withEnvironment(others, async () => {
    await trial.eachTool(async (tool, { answer }) => {
      trial.service.answer(answer);
      await trial.call(tool);
    });
  });
  const sent = trial.service.requests.map(dumpOf).join("\n");
  assert.ok(sent.includes(canary) && !sent.includes("of-the-environment"));
}

async function hidesCredential(trial: ToolkitTrial): Promise<void> {
  await trial.eachTool(async (name, { answer }) => {
    for (const echo of echoes(answer)) {
      trial.service.answer(echo);
      assertHidden(await outcomeOf(trial, name), `${name} shows the credential`);
      assertHidden(await agentTextOf(trial, name), `an agent with ${name} shows the credential`);
    }
  });
  assert.ok(trial.service.requests.some((request) => dumpOf(request).includes(canary)));
}

async function hidesFromFetch(trial: ToolkitTrial): Promise<void> {
  const fetch = async (url: string, init: RequestInit): Promise<Response> =>
    await Promise.reject(new Error(`failed ${url} ${JSON.stringify(init)}`));
  await trial.eachTool(async (name) => {
    assertHidden(await trial.failure(name, { source: trial.source({ fetch }) }), `${name} shows the credential`);
  });
}

/** Returns answers that repeat the whole request: in each text of a good answer, and as errors. */
function echoes(good: Answer): Answer[] {
  const repeat =
    (status: number) =>
    (request: FakeRequest): FakeReply => {
      const text = dumpOf(request);
      const body = JSON.stringify({
        error: { message: text, code: text, type: text },
        message: text,
        detail: { error: text },
        tag: text,
      });
      return { status, headers: { "content-type": "application/json" }, body };
    };
  const filled: Answer = (request) => {
    const reply = good(request);
    return { ...reply, body: fill(Buffer.from(reply.body ?? "").toString(), dumpOf(request)) };
  };
  return [filled, ...[200, 400, 401, 403, 422, 429, 500].map(repeat)];
}

/** Appends a text to each text of a JSON document except addresses. */
function fill(body: string, text: string): string {
  try {
    return JSON.stringify(JSON.parse(body, (_, value: unknown) => (isWords(value) ? `${value} ${text}` : value)));
  } catch {
    return `${body}${text}`;
  }
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && !value.startsWith("http");
}

function dumpOf({ method, path, query, headers, body }: FakeRequest): string {
  return `${method} ${path}?${String(query)} ${JSON.stringify(headers)} ${body}`;
}

async function outcomeOf(trial: ToolkitTrial, name: string): Promise<unknown> {
  const tool = await toolOf(trial.source(), name);
  const args = structuredClone(trial.subject.tools[name]?.args ?? {});
  return await Promise.resolve(tool.execute(args, contextWith())).catch((error: unknown) => error);
}

/** Returns all visible data of an agent's run with the tool: output, chunks, events, and the log at level debug. */
async function agentTextOf(trial: ToolkitTrial, name: string): Promise<unknown> {
  const seen: unknown[] = [];
  const eventBus = new EventBus();
  for (const event of ["tool.call", "tool.result", "run.complete", "run.warning"] as const) {
    eventBus.on(event, (data) => seen.push(data));
  }
  const logger = createLogger({ level: "debug", color: false, write: (line: string) => seen.push(line) });
  const model = new ScriptedModel({ toolCalls: [{ name, arguments: trial.subject.tools[name]?.args ?? {} }] }, "Done.");
  const run = new Agent({ name: "helper", model, tools: [trial.source()], eventBus, logger }).stream("Use it.");
  for await (const chunk of run) seen.push(chunk);
  seen.push(
    await run.output,
    model.calls.map(({ messages }) => messages),
  );
  return seen;
}

function assertHidden(shown: unknown, what: string): void {
  assert.deepEqual(new CanarySearch([canary]).in(allTextOf(shown)), [], what);
}

function blank(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

/** Runs with environment variables, and restores them. */
async function withEnvironment(variables: Readonly<Record<string, string>>, run: () => Promise<void>): Promise<void> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
