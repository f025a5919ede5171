import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import { toJsonSchema } from "../../schema/to-json-schema.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";

/**
 * A fingerprint of the parts that a run is performed with. For agents these are the tools, each with a hash of effect
 * and schema; for a workflow the steps with their kinds, in order.
 */
export type PlanPrint = {
  /**
   * Hashes of the tools, by path: the names of the agents on the way to a tool, and its own name, such as
   * `writer/send_mail`.
   */
  readonly tools: Readonly<Record<string, string>>;
  readonly steps?: readonly (readonly [name: string, kind: string])[];
};

/** The tools that the models of a run have called, and the workflow steps that it has begun. */
export type PlanUse = { readonly tools: ReadonlySet<string>; readonly steps: ReadonlySet<string> };

type NamedStep = { readonly name: string; readonly kind: string; readonly agent?: unknown };

/** Makes the fingerprints of runnables. Each tool is described once. */
export class PlanPrinter {
  readonly #hashes = new WeakMap<object, string>();

  /**
   * Returns the fingerprint of a runnable. It omits tools that depend on the run, and tools of a source that were not
   * loaded yet. `before` is an earlier fingerprint for the same run, whose client tools stay, because the request of
   * the run contains them.
   */
  print(runnable: unknown, before?: PlanPrint): PlanPrint {
    const tools: Record<string, string> = clientToolsOf(before);
    const steps = stepsOf(runnable);
    this.#addTools(tools, runnable, "");
    for (const { name, agent } of steps) if (agent !== undefined) this.#addTools(tools, agent, `${name}/`);
    return steps.length === 0 ? { tools } : { tools, steps: steps.map(({ name, kind }) => [name, kind]) };
  }

  /** Returns a plan's fingerprint with the tools added that the run's client executes. */
  withClientTools(plan: PlanPrint, clientTools: readonly object[] = []): PlanPrint {
    if (clientTools.length === 0) return plan;
    const own = clientTools.map((tool) => [clientMark + nameOf(tool), this.#hashOf(tool)] as const);
    return { ...plan, tools: { ...plan.tools, ...Object.fromEntries(own) } };
  }

  #addTools(tools: Record<string, string>, runnable: unknown, path: string): void {
    for (const tool of arrayIn(runnable, "tools")) tools[path + nameOf(tool)] = this.#hashOf(tool);
    for (const member of arrayIn(runnable, "members")) this.#addTools(tools, member, `${path}${nameOf(member)}/`);
  }

  #hashOf(tool: object): string {
    const known = this.#hashes.get(tool);
    if (known !== undefined) return known;
    const effect = readProperty(tool, "effect") ?? "once";
    const made = hashOf({ effect, schema: schemaOf(tool) });
    this.#hashes.set(tool, made);
    return made;
  }
}

/** Precedes the names of client tools in a fingerprint. No name of a tool begins with it. */
const clientMark = "+";

function clientToolsOf(plan: PlanPrint | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(plan?.tools ?? {}).filter(([path]) => path.startsWith(clientMark)));
}

/** Returns a short hash of a JSON value, equal for equal values. */
export function hashOf(value: unknown): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", canonicalJson(value)).slice(0, 16);
}

/**
 * Returns the parts of one fingerprint, used by a run, that another fingerprint lacks or has changed: sentences for the
 * operator.
 */
export function findMissing(before: PlanPrint, now: PlanPrint, use: PlanUse): string[] {
  return [...missingTools(before, now, use), ...missingSteps(before, now, use)];
}

function* missingTools(before: PlanPrint, now: PlanPrint, { tools }: PlanUse): Generator<string> {
  for (const [path, hash] of Object.entries(before.tools)) {
    const found = now.tools[path];
    if (found === hash || !tools.has(path.slice(path.lastIndexOf("/") + 1))) continue;
    yield found === undefined ? `The tool ${path} is gone.` : `The tool ${path} has changed.`;
  }
}

function* missingSteps(before: PlanPrint, now: PlanPrint, { steps }: PlanUse): Generator<string> {
  const performed = (before.steps ?? []).filter(([name]) => steps.has(name));
  const kinds = new Map(now.steps);
  for (const [name, kind] of performed) {
    const found = kinds.get(name);
    if (found !== kind) yield found === undefined ? `The step ${name} is gone.` : `The step ${name} has changed.`;
  }
  const names = [...kinds.keys()];
  const places = performed.map(([name]) => names.indexOf(name)).filter((place) => place !== -1);
  if (places.some((place, index) => place < (places[index - 1] ?? -1))) yield "Performed steps are in another order.";
}

/** Collects the tools and steps that a run has used, from its log. */
export function addUse(use: { tools: Set<string>; steps: Set<string> }, page: readonly NumberedRecord[]): void {
  for (const entry of page.flatMap(({ record }) => record.entries)) {
    if (!("step" in entry)) continue;
    for (const step of stepsInKey(entry.step)) use.steps.add(decode(step));
    if (entry.t === "call") use.tools.add(entry.tool);
    const called = entry.t === "done" ? calledTools(entry.value) : [];
    for (const name of called) use.tools.add(name);
  }
}

/**
 * Yields the encoded names of the workflow steps in a journal key: a step, and the steps within its rounds or items, as
 * in `w/pages/0/w/translate`. Steps of child runs are not among them.
 */
function* stepsInKey(key: string): Generator<string> {
  let rest = /(?:^|\/)(w\/.*)/.exec(key)?.[1] ?? "";
  for (let found = firstStep.exec(rest); found !== null; found = firstStep.exec(rest)) {
    const [whole, step = "", number] = found;
    yield step;
    if (number === undefined) return;
    rest = rest.slice(whole.length);
  }
}

const firstStep = /^w\/([^/]+)(\/\d+(?:\/|$))?/;

/** Yields the names of the tools that a stored model answer calls. */
function* calledTools(value: unknown): Generator<string> {
  if (!isRecord(value)) return;
  const calls = value["toolCalls"];
  if (Array.isArray(calls)) for (const call of calls as unknown[]) yield nameOf(call);
  else for (const inner of Object.values(value)) yield* calledTools(inner);
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function stepsOf(runnable: unknown): readonly NamedStep[] {
  return arrayIn(runnable, "plannedSteps") as NamedStep[];
}

function arrayIn(owner: unknown, name: string): readonly object[] {
  const value = readProperty(owner, name);
  return Array.isArray(value) ? (value as unknown[]).filter((item) => typeof item === "object" && item !== null) : [];
}

function nameOf(named: unknown): string {
  const name = readProperty(named, "name");
  return typeof name === "string" ? name : "";
}

/**
 * Returns a tool's schema as JSON Schema, for the comparison with the tool of another release. Returns null for the schema
 * of a third party that only its own code can read: such tools are compared by their option `effect` alone.
 */
function schemaOf(tool: object): unknown {
  try {
    return toJsonSchema(readProperty(tool, "parameters") as ObjectSchema);
  } catch {
    return null;
  }
}
