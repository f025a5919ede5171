import { integerOption, nonBlankString, oneOf, optional } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { CheckedStep, CheckedStepOf, ItemWork, LoopEnd } from "./checked-step.ts";
import { checkEffect, checkFunction, isRunnable, readAgentStep, wrongConfig } from "./step-fields.ts";
import type { UncheckedStep } from "./step-fields.ts";

/** The default maximum number of items of a `forEach`. */
const defaultMaxItems = 1000;

const checkRounds = integerOption(1);
const checkConcurrency = optional(integerOption(1), 1);
const checkMaxItems = optional(integerOption(1), defaultMaxItems);
const checkKey = optional(nonBlankString(128), "item");
const checkPolicy = optional(oneOf("fail", "skip", "collect"), "fail");

/** Reads a step that repeats its nested steps. */
export function readLoop({ fields, name, path, nested }: UncheckedStep): CheckedStepOf<"loop"> {
  const steps = nested(fields["loop"], "loop");
  const maxRounds = checkRounds(fields["maxRounds"], `${path}.maxRounds`, {});
  return { kind: "loop", name, steps, maxRounds, end: readLoopEnd(fields, path) };
}

function readLoopEnd(fields: UncheckedStep["fields"], path: string): LoopEnd {
  const given = (["while", "until"] as const).filter((each) => fields[each] !== undefined);
  const [form] = given;
  if (form === undefined || given.length > 1) {
    const problem = form === undefined ? "neither while nor until" : "both while and until";
    throw wrongConfig(`${path} has ${problem}. Expected one of them: a function of the state.`);
  }
  const condition = fields[form];
  checkFunction(condition, `${path}.${form}`);
  return { checked: form === "while" ? "before" : "after", condition };
}

/** Reads a step that performs the steps of one case. */
export function readChoose({ fields, name, path, nested }: UncheckedStep): CheckedStepOf<"choose"> {
  const { choose, cases, otherwise } = fields;
  checkFunction(choose, `${path}.choose`);
  if (!isRecord(cases)) throw wrongOption(`${path}.cases`, "an object with an array of steps for each key", cases);
  const read = new Map(
    Object.entries(cases).map(([key, steps]) => [key, nested(steps, `cases[${JSON.stringify(key)}]`)]),
  );
  const other = otherwise === undefined ? undefined : nested(otherwise, "otherwise");
  if (read.size === 0 && other === undefined)
    throw wrongConfig(`${path}.cases has no case, and there is no otherwise.`);
  const steps = [...read.values(), other ?? []].flat();
  return { kind: "choose", name, choose, cases: read, otherwise: other, steps };
}

/** Reads a step that does the same work for each item of an array. */
export function readForEach(step: UncheckedStep): CheckedStepOf<"forEach"> {
  const { fields, name, path, nested } = step;
  const { forEach } = fields;
  checkFunction(forEach, `${path}.forEach`);
  return {
    kind: "forEach",
    name,
    forEach,
    work: readItemWork(step),
    concurrency: checkConcurrency(fields["concurrency"], `${path}.concurrency`, {}),
    maxItems: checkMaxItems(fields["maxItems"], `${path}.maxItems`, {}),
    as: checkKey(fields["as"], `${path}.as`, {}),
    onItemError: checkPolicy(fields["onItemError"], `${path}.onItemError`, {}),
    steps: fields["steps"] === undefined ? [] : nested(fields["steps"], "steps"),
  };
}

/** The fields that belong to each kind of work of a `forEach`. */
const itemFields = { steps: [], agent: ["inputFrom"], run: ["effect"] } as const;

function readItemWork(step: UncheckedStep): ItemWork {
  const { fields, path } = step;
  const given = (["steps", "agent", "run"] as const).filter((each) => fields[each] !== undefined);
  const [form] = given;
  if (form === undefined || given.length > 1) {
    const problem = form === undefined ? "no work for its items" : `both ${given.join(" and ")}`;
    throw wrongConfig(`${path} has ${problem}. Expected one of steps, agent and run.`);
  }
  for (const [owner, names] of Object.entries(itemFields)) {
    const wrong = owner === form ? undefined : names.find((each) => fields[each] !== undefined);
    if (wrong !== undefined) throw wrongConfig(`${path} has ${wrong}, which goes with ${owner}, not with ${form}.`);
  }
  if (form === "steps") return { kind: "steps" };
  if (form === "agent") return readAgentStep(step);
  const { run, effect } = fields;
  checkFunction(run, `${path}.run`);
  return {
    kind: "function",
    run,
    ...(effect !== undefined && { effect: checkEffect(effect, `${path}.effect`, {}) }),
  };
}

/** Reads a step that runs another workflow. */
export function readWorkflowStep({ fields, name, path }: UncheckedStep): CheckedStep {
  const { workflow, inputFrom, write } = fields;
  const asRunnable = readProperty(workflow, "asRunnable");
  const agent: unknown = typeof asRunnable === "function" ? asRunnable.call(workflow) : undefined;
  if (!isRunnable(agent)) throw wrongOption(`${path}.workflow`, "a Workflow", workflow);
  if (inputFrom !== undefined) checkFunction(inputFrom, `${path}.inputFrom`);
  if (write !== undefined) checkFunction(write, `${path}.write`);
  return { kind: "workflow", name, agent, inputFrom, write };
}
