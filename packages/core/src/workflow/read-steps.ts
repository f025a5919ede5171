import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { encodeKey } from "../storage/encode-key.ts";
import { readProperty } from "../util/read-property.ts";
import type { Step } from "./step.ts";

/** The forms of a step by the field that marks them, and what each takes beside it and its name. */
const forms = { agent: ["inputFrom"], run: [], condition: ["steps"], parallel: [] } as const;

type Form = keyof typeof forms;
type Fields = Readonly<Record<string, unknown>>;

/** What is read, and where it stands in the configuration. */
type Reading = { readonly fields: Fields; readonly name: string; readonly place: string; readonly names: Set<string> };

const formNames = Object.keys(forms) as Form[];
const longestName = 128;
/** The name becomes a part of the step's session, where a byte that is no plain letter takes three characters. */
const longestEncoded = 3 * longestName;

/** Reads a list of steps; what cannot be one is `invalid_config` and names the step and the field. */
export function readSteps(value: unknown, place = "steps", names = new Set<string>()): Step[] {
  if (!Array.isArray(value)) throw wrongOption(place, "a list of steps", value);
  return value.map((each, index) => readStep(each, `${place}[${index}]`, names));
}

function readStep(value: unknown, place: string, names: Set<string>): Step {
  if (typeof value !== "object" || value === null) throw wrongOption(place, "a step (an object)", value);
  const fields = value as Fields;
  const name = readName(fields["name"], place, names);
  const reading: Reading = { fields, name, place: `${place} (the step ${JSON.stringify(name)})`, names };
  return readers[readForm(reading)](reading);
}

function readName(value: unknown, place: string, names: Set<string>): string {
  if (!isName(value))
    throw wrongOption(`${place}.name`, `a text of 1 to ${longestName} characters that is not blank`, value);
  if (names.has(value)) {
    throw wrongConfig(
      `${place}.name is ${JSON.stringify(value)}, as is another step's: each step of a workflow needs a name of its own.`,
    );
  }
  names.add(value);
  return value;
}

function isName(value: unknown): value is string {
  if (typeof value !== "string" || value.trim() === "" || value.length > longestName) return false;
  return value.isWellFormed() && encodeKey(value).length <= longestEncoded;
}

/** One form and no other, and no field that this form does not have. */
function readForm({ fields, place }: Reading): Form {
  const [form, other] = formNames.filter((each) => fields[each] !== undefined);
  if (form === undefined) throw wrongConfig(`${place} has no form: it must have one of ${formNames.join(", ")}.`);
  if (other !== undefined) throw wrongConfig(`${place} has both ${form} and ${other}: a step has one form.`);
  const known: readonly string[] = ["name", form, ...forms[form]];
  const unknown = Object.keys(fields).find((field) => fields[field] !== undefined && !known.includes(field));
  if (unknown === undefined) return form;
  throw wrongConfig(`${place} has no field ${JSON.stringify(unknown)}: with ${form} it takes ${known.join(", ")}.`);
}

const readers: { readonly [Name in Form]: (reading: Reading) => Step } = {
  agent: ({ fields, name, place }) => {
    const { agent, inputFrom } = fields as { agent: unknown; inputFrom?: unknown };
    if (!isRunnable(agent)) {
      throw wrongOption(
        `${place}.agent`,
        "an agent, a team or another Runnable (of a workflow: its asRunnable())",
        agent,
      );
    }
    if (inputFrom === undefined) return { kind: "agent", name, agent };
    checkFunction(inputFrom, `${place}.inputFrom`);
    return { kind: "agent", name, agent, inputFrom };
  },
  run: ({ fields: { run }, name, place }) => {
    checkFunction(run, `${place}.run`);
    return { kind: "function", name, run };
  },
  condition: ({ fields: { condition, steps }, name, place, names }) => {
    checkFunction(condition, `${place}.condition`);
    return { kind: "condition", name, condition, steps: readSteps(steps, `${place}.steps`, names) };
  },
  parallel: ({ fields: { parallel }, name, place, names }) => {
    return { kind: "parallel", name, steps: readSteps(parallel, `${place}.parallel`, names) };
  },
};

function isRunnable(value: unknown): value is Extract<Step, { kind: "agent" }>["agent"] {
  // A workflow has a run() of another form, and no kind.
  const hasMethods = ["run", "stream"].every((method) => typeof readProperty(value, method) === "function");
  return hasMethods && typeof readProperty(value, "kind") === "string";
}

function checkFunction(value: unknown, place: string): asserts value is (...args: unknown[]) => never {
  if (typeof value !== "function") throw wrongOption(place, "a function", value);
}

function wrongConfig(sentence: string): TroupeError {
  return new TroupeError("invalid_config", sentence);
}
