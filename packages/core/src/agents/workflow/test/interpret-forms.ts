import { equalJson } from "../../../base/util/equal-json.ts";
import { digest, itemsOf } from "./random-forms.ts";
import type { Facts, FormPlan, GroupPlan } from "./random-forms.ts";

/** The failure of a step: its code, by which the end of the run is compared. */
class Failure extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * The end of a plan, evaluated without a workflow: the state or the code of the failure, and the calls in order. It is
 * uncertain if a step failed and others may have run beside it.
 */
export type Interpreted = {
  readonly calls: readonly string[];
  readonly isUncertain: boolean;
  readonly state?: Facts;
  readonly code?: string;
};

/** Evaluates a plan, one step after the other. */
export function interpret(plan: readonly FormPlan[]): Interpreted {
  const calls: string[] = [];
  const interpreter = new Interpreter(calls);
  const isUncertain = () => interpreter.hasFailed && JSON.stringify(plan).includes('"parallel"');
  try {
    const state = interpreter.all(plan, { prefix: "s", path: "", state: {} });
    return { calls, state, isUncertain: isUncertain() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { calls, code: error.code, isUncertain: isUncertain() };
  }
}

/**
 * The place where steps are evaluated: the prefix of their names, the path of their round or item, and the state
 * before.
 */
type Place = { readonly prefix: string; readonly path: string; readonly state: Facts };

class Interpreter {
  readonly #calls: string[];
  /** True once a step has failed, even if its failure was collected. */
  hasFailed = false;

  constructor(calls: string[]) {
    this.#calls = calls;
  }

  #fail(code: string): never {
    this.hasFailed = true;
    throw new Failure(code);
  }

  all(plans: readonly FormPlan[], { prefix, path, state: start }: Place): Facts {
    let state = start;
    for (const [index, plan] of plans.entries()) {
      state = { ...state, ...this.#changeOf(plan, `${prefix}${index}`, { prefix: "", path, state }) };
    }
    return state;
  }

  #changeOf(plan: FormPlan, name: string, place: Place): Facts {
    switch (plan.form) {
      case "run":
        return this.#run(plan, name, place);
      case "agent":
      case "ask":
      case "waitFor":
      case "sleep":
        return leaf(plan.form, name, place.state);
      case "loop":
        return this.#loop(plan, name, place);
      case "choose":
        return this.#choose(plan, name, place);
      case "forEach":
        return { [name]: this.#items(plan, name, place) };
      default:
        return this.#group(plan, name, place);
    }
  }

  #run(plan: Extract<FormPlan, { form: "run" }>, name: string, { path, state }: Place): Facts {
    this.#calls.push(path + name);
    if (plan.fails) this.#fail("internal");
    return { [plan.key]: digest(state, name) };
  }

  #group({ form, steps }: GroupPlan, name: string, { path, state }: Place): Facts {
    const prefix = `${name}.`;
    if (form === "parallel") return this.#parallel(steps, name, { prefix, path, state });
    if (form === "workflow")
      return { [name]: this.all(steps, { prefix, path: "", state: { from: digest(state, name) } }) };
    return digest(state, name) % 2 === 0 ? this.all(steps, { prefix, path, state }) : {};
  }

  #parallel(steps: readonly FormPlan[], name: string, place: Place): Facts {
    const sides = steps.map((step, index) => changes(place.state, this.#changeOf(step, `${name}.${index}`, place)));
    const merged = Object.assign({}, ...sides) as Facts;
    const agrees = sides.every((side) => Object.entries(side).every(([key, value]) => equalJson(merged[key], value)));
    if (!agrees) this.#fail("invalid_value");
    return merged;
  }

  #choose(plan: Extract<FormPlan, { form: "choose" }>, name: string, { path, state }: Place): Facts {
    const key = digest(state, name) % 3;
    if (key === 2 && !plan.hasOtherwise) this.#fail("invalid_value");
    if (key === 0) return this.all(plan.steps, { prefix: `${name}.`, path, state });
    return key === 1 ? this.all(plan.others, { prefix: `${name}-`, path, state }) : {};
  }

  #loop(plan: Extract<FormPlan, { form: "loop" }>, name: string, { path, state: start }: Place): Facts {
    let state = start;
    const goesOn = () => digest(state, name) % 3 !== 0;
    for (let round = 0; !plan.isWhile || goesOn(); round++) {
      if (round === plan.maxRounds) this.#fail("limit_exceeded");
      state = this.all(plan.steps, { prefix: `${name}.`, path: `${path}${name}/${round}/`, state });
      if (!plan.isWhile && !goesOn()) return state;
    }
    return state;
  }

  #items(plan: Extract<FormPlan, { form: "forEach" }>, name: string, { path, state }: Place): unknown[] {
    return itemsOf(state, name).flatMap((item, index) => {
      const place = { prefix: `${name}.`, path: `${path}${name}/${index}`, state: { ...state, item } };
      try {
        return [this.#item(plan, item, place)];
      } catch (error) {
        if (!(error instanceof Failure) || plan.policy === "fail") throw error;
        return plan.policy === "skip" ? [] : [{ error: { code: error.code } }];
      }
    });
  }

  #item({ work, steps }: Extract<FormPlan, { form: "forEach" }>, item: number, place: Place): unknown {
    if (work === "agent") return `<i${item}>`;
    if (work === "steps") return this.all(steps, { ...place, path: `${place.path}/` });
    this.#calls.push(place.path);
    if (item % 5 === 4) this.#fail("internal");
    return [item];
  }
}

function leaf(form: "agent" | "ask" | "waitFor" | "sleep", name: string, state: Facts): Facts {
  const sum = digest(state, name);
  const values = { agent: `<${sum}>`, ask: `A q${sum}`, waitFor: `E ${name}` };
  return form === "sleep" ? {} : { [name]: values[form] };
}

/** Returns the keys whose values a step has set anew: nested steps return their whole state. */
function changes(before: Facts, after: Facts): Facts {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => !equalJson(before[key], value)));
}
