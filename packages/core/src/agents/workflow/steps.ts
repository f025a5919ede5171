import { oneOf } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Runnable } from "../run/runnable.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { StateRecord } from "./state-shape.ts";
import type { AgentStep, ConditionStep, FunctionStep } from "./workflow-step.ts";
import type { UnknownRecord } from "../../base/util/is-record.ts";

/** A step of a workflow after its configuration was checked, tagged with its kind. */
export type CheckedStep =
  | ({ readonly kind: "agent"; readonly agent: Runnable } & Readonly<AgentStep<StateRecord>>)
  | ({ readonly kind: "function" } & Readonly<FunctionStep<StateRecord>>)
  | {
      readonly kind: "condition";
      readonly name: string;
      readonly condition: ConditionStep<StateRecord>["condition"];
      readonly steps: readonly CheckedStep[];
    }
  | { readonly kind: "parallel"; readonly name: string; readonly steps: readonly CheckedStep[] };

/** The checked step of one kind, such as `CheckedStepOf<"agent">`. */
export type CheckedStepOf<Kind extends CheckedStep["kind"]> = Extract<CheckedStep, { kind: Kind }>;

/** Yields the steps and their nested steps, in the order of the configuration. */
export function* walkSteps(steps: readonly CheckedStep[]): Generator<CheckedStep> {
  for (const step of steps) {
    yield step;
    if ("steps" in step) yield* walkSteps(step.steps);
  }
}

/** The kinds of step by the field that marks each kind, and the kind's other fields beside its name. */
const forms = { agent: ["inputFrom"], run: ["effect"], condition: ["steps"], parallel: [] } as const;

type Form = keyof typeof forms;

/** An unchecked step, its path in the configuration, and the names of all steps read so far. */
type UncheckedStep = {
  readonly fields: UnknownRecord;
  readonly name: string;
  readonly path: string;
  readonly names: Set<string>;
};

const formNames = Object.keys(forms) as Form[];
const longestName = 128;
/**
 * The maximum length of an encoded step name. It becomes part of the step's session id, in which a byte that is not a
 * plain letter takes three characters.
 */
const longestEncoded = 3 * longestName;

/**
 * Checks the option `steps` of a workflow and returns its steps, including nested steps, tagged with their kinds. A
 * wrong step is `invalid_config`, with the step and the field in the message.
 */
export function readSteps(value: unknown, path = "steps", names = new Set<string>()): CheckedStep[] {
  if (!Array.isArray(value)) throw wrongOption(path, "an array of steps", value);
  return value.map((each, index) => readStep(each, `${path}[${index}]`, names));
}

function readStep(value: unknown, path: string, names: Set<string>): CheckedStep {
  if (typeof value !== "object" || value === null) throw wrongOption(path, "a step (an object)", value);
  const fields = value as UnknownRecord;
  const name = readName(fields["name"], path, names);
  const reading: UncheckedStep = { fields, name, path: `${path} (the step ${JSON.stringify(name)})`, names };
  return readers[readForm(reading)](reading);
}

function readName(value: unknown, path: string, names: Set<string>): string {
  if (!isName(value)) {
    throw wrongOption(`${path}.name`, `a string of 1 to ${longestName} characters that is not blank`, value);
  }
  if (names.has(value)) {
    throw wrongConfig(`${path}.name is ${JSON.stringify(value)}, the name of another step. Step names must be unique.`);
  }
  names.add(value);
  return value;
}

function isName(value: unknown): value is string {
  if (typeof value !== "string" || value.trim() === "" || value.length > longestName) return false;
  return value.isWellFormed() && encodeKey(value).length <= longestEncoded;
}

function readForm({ fields, path }: UncheckedStep): Form {
  const [form, other] = formNames.filter((each) => fields[each] !== undefined);
  if (form === undefined) throw wrongConfig(`${path} has no form. Expected one of ${formNames.join(", ")}.`);
  if (other !== undefined) throw wrongConfig(`${path} has both ${form} and ${other}. Expected one of them.`);
  const known: readonly string[] = ["name", form, ...forms[form]];
  const unknown = Object.keys(fields).find((field) => fields[field] !== undefined && !known.includes(field));
  if (unknown === undefined) return form;
  throw wrongConfig(`Unknown field ${JSON.stringify(unknown)} in ${path}. With ${form}, expected ${known.join(", ")}.`);
}

const readers: { readonly [Name in Form]: (reading: UncheckedStep) => CheckedStep } = {
  agent: ({ fields, name, path }) => {
    const { agent, inputFrom } = fields as { agent: unknown; inputFrom?: unknown };
    if (!isRunnable(agent)) {
      throw wrongOption(
        `${path}.agent`,
        "an agent, a team or another Runnable (of a workflow: its asRunnable())",
        agent,
      );
    }
    if (inputFrom === undefined) return { kind: "agent", name, agent };
    checkFunction(inputFrom, `${path}.inputFrom`);
    return { kind: "agent", name, agent, inputFrom };
  },
  run: ({ fields: { run, effect }, name, path }) => {
    checkFunction(run, `${path}.run`);
    if (effect === undefined) return { kind: "function", name, run };
    return { kind: "function", name, run, effect: checkEffect(effect, `${path}.effect`, {}) };
  },
  condition: ({ fields: { condition, steps }, name, path, names }) => {
    checkFunction(condition, `${path}.condition`);
    return { kind: "condition", name, condition, steps: readSteps(steps, `${path}.steps`, names) };
  },
  parallel: ({ fields: { parallel }, name, path, names }) => {
    return { kind: "parallel", name, steps: readSteps(parallel, `${path}.parallel`, names) };
  },
};

const checkEffect = oneOf("pure", "idempotent", "once");

function isRunnable(value: unknown): value is Runnable {
  // A `Workflow` also has a method `run`, but with other parameters, and it has no `kind`.
  const hasMethods = ["run", "stream"].every((method) => typeof readProperty(value, method) === "function");
  return hasMethods && typeof readProperty(value, "kind") === "string";
}

function checkFunction(value: unknown, path: string): asserts value is (...args: unknown[]) => never {
  if (typeof value !== "function") throw wrongOption(path, "a function", value);
}

function wrongConfig(sentence: string): TroupeError {
  return new TroupeError("invalid_config", sentence);
}
