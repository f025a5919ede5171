import { wrongOption } from "../../base/errors/read-options.ts";
import type { UnknownRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { isRepeated, walkSteps } from "./checked-step.ts";
import type { CheckedStep } from "./checked-step.ts";
import type { StateRecord } from "./state-shape.ts";
import { createStepFlow } from "./step-flow.ts";
import type { StepFlow } from "./workflow-step.ts";
import { checkEffect, checkFunction, readAgentStep, wrongConfig } from "./step-fields.ts";
import type { UncheckedStep } from "./step-fields.ts";
import { readAsk, readSleep, readWaitFor } from "./wait-forms.ts";
import { readChoose, readForEach, readLoop, readWorkflowStep } from "./step-forms.ts";

/**
 * The kinds of step, each by the field that marks it, with the other fields that a step of this kind may have beside
 * `name`.
 */
const forms = {
  agent: ["inputFrom"],
  run: ["effect"],
  condition: ["steps"],
  parallel: [],
  loop: ["while", "until", "maxRounds"],
  choose: ["cases", "otherwise"],
  forEach: ["steps", "agent", "inputFrom", "run", "effect", "concurrency", "maxItems", "as", "onItemError"],
  workflow: ["inputFrom", "write"],
  ask: ["schema", "waitMs", "onTimeout"],
  waitFor: ["waitMs", "onTimeout"],
  sleepMs: [],
  sleepUntil: [],
} as const;

type Form = keyof typeof forms;

const formNames = Object.keys(forms) as Form[];
const longestName = 128;
/**
 * The maximum length of an encoded step name, which becomes part of a session id. Encoding writes each byte that is not
 * a plain letter as three characters.
 */
const longestEncoded = 3 * longestName;

/**
 * Checks the option `steps` of a workflow and returns its steps, including nested steps, tagged with their kinds. A
 * wrong step is `invalid_config`, with the step and the field in the message.
 */
export function readSteps(value: unknown, path = "steps", names?: Set<string>): CheckedStep[] {
  const given: unknown = isFlowFunction(value) ? readProperty(value(createStepFlow<StateRecord>()), "steps") : value;
  if (!Array.isArray(given)) throw wrongOption(path, "an array of steps, or a function that returns its flow", value);
  const known = names ?? new Set<string>();
  const steps = given.map((each, index) => readStep(each, `${path}[${index}]`, known));
  if (names === undefined) checkPaths(steps, known);
  return steps;
}

function isFlowFunction(value: unknown): value is (flow: StepFlow<StateRecord>) => unknown {
  return typeof value === "function";
}

/** Throws for a name that would equal the path of a step within a repeated step, such as `pages/0/translate`. */
function checkPaths(steps: readonly CheckedStep[], names: ReadonlySet<string>): void {
  for (const { name } of [...walkSteps(steps)].filter(isRepeated)) {
    const taken = [...names].find(
      (other) => other.startsWith(`${name}/`) && /^\d+(\/|$)/.test(other.slice(name.length + 1)),
    );
    if (taken === undefined) continue;
    const shown = JSON.stringify(taken);
    throw wrongConfig(
      `The step name ${shown} is the path of a round or an item of ${JSON.stringify(name)}. Rename it.`,
    );
  }
}

function readStep(value: unknown, place: string, names: Set<string>): CheckedStep {
  if (typeof value !== "object" || value === null) throw wrongOption(place, "a step (an object)", value);
  const fields = value as UnknownRecord;
  const name = readName(fields["name"], place, names);
  const path = `${place} (the step ${JSON.stringify(name)})`;
  const nested = (steps: unknown, field: string) => readSteps(steps, `${path}.${field}`, names);
  const reading: UncheckedStep = { fields, name, path, nested };
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
  const [form, other] = marksOf(fields);
  if (form === undefined) throw wrongConfig(`${path} has no form. Expected one of ${formNames.join(", ")}.`);
  if (other !== undefined) throw wrongConfig(`${path} has both ${form} and ${other}. Expected one of them.`);
  const known: readonly string[] = ["name", form, ...forms[form]];
  const unknown = Object.keys(fields).find((field) => fields[field] !== undefined && !known.includes(field));
  if (unknown === undefined) return form;
  throw wrongConfig(`Unknown field ${JSON.stringify(unknown)} in ${path}. With ${form}, expected ${known.join(", ")}.`);
}

/**
 * Returns the kinds of step that a step's fields mark. For a `forEach`, the fields `agent` and `run` mark no kind: they
 * are its work.
 */
function marksOf(fields: UnknownRecord): Form[] {
  const marks = formNames.filter((each) => fields[each] !== undefined);
  return marks.includes("forEach") ? marks.filter((each) => each !== "agent" && each !== "run") : marks;
}

const readers: { readonly [Name in Form]: (reading: UncheckedStep) => CheckedStep } = {
  agent: readAgentStep,
  run: ({ fields: { run, effect }, name, path }) => {
    checkFunction(run, `${path}.run`);
    if (effect === undefined) return { kind: "function", name, run };
    return { kind: "function", name, run, effect: checkEffect(effect, `${path}.effect`, {}) };
  },
  condition: ({ fields: { condition, steps }, name, path, nested }) => {
    checkFunction(condition, `${path}.condition`);
    return { kind: "condition", name, condition, steps: nested(steps, "steps") };
  },
  parallel: ({ fields: { parallel }, name, nested }) => {
    return { kind: "parallel", name, steps: nested(parallel, "parallel") };
  },
  loop: readLoop,
  choose: readChoose,
  forEach: readForEach,
  workflow: readWorkflowStep,
  ask: readAsk,
  waitFor: readWaitFor,
  sleepMs: readSleep,
  sleepUntil: readSleep,
};
