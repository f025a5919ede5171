import { integerOption, nonBlankString, optional } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { createValidator } from "../../schema/create-validator.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import { recogniseSchema } from "../../schema/recognise-schema.ts";
import { toJsonSchema } from "../../schema/to-json-schema.ts";
import type { AnswerSchema, CheckedStepOf, StateFunction, WaitTiming } from "./checked-step.ts";
import { checkFunction, wrongConfig } from "./step-fields.ts";
import type { UncheckedStep } from "./step-fields.ts";

const checkWaitMs = optional(integerOption(1));
const checkEvent = nonBlankString(128);

/** Reads a step that asks a person. */
export function readAsk({ fields, name, path }: UncheckedStep): CheckedStepOf<"ask"> {
  const { ask, schema } = fields;
  checkFunction(ask, `${path}.ask`);
  const read = schema === undefined ? undefined : readSchema(schema as ObjectSchema, `${path}.schema`);
  return { kind: "ask", name, ask, schema: read, timing: readTiming(fields, path) };
}

function readSchema(schema: ObjectSchema, path: string): AnswerSchema {
  const recognised = recogniseSchema(schema, path);
  const jsonSchema = toJsonSchema(schema, path);
  return { jsonSchema, validate: createValidator(recognised, jsonSchema, path) };
}

/** Reads a step that waits for an event. */
export function readWaitFor({ fields, name, path }: UncheckedStep): CheckedStepOf<"waitFor"> {
  const waitFor = checkEvent(fields["waitFor"], `${path}.waitFor`, {});
  return { kind: "waitFor", name, waitFor, timing: readTiming(fields, path) };
}

function readTiming({ waitMs, onTimeout = "fail" }: UncheckedStep["fields"], path: string): WaitTiming {
  const limit = checkWaitMs(waitMs, `${path}.waitMs`, {});
  if (limit === undefined && onTimeout !== "fail") throw wrongConfig(`${path} has onTimeout without waitMs.`);
  return { waitMs: limit, onTimeout: readTimeout(onTimeout, `${path}.onTimeout`) };
}

function readTimeout(value: unknown, path: string): WaitTiming["onTimeout"] {
  if (value === "fail" || value === "continue") return value;
  if (!isRecord(value) || !Object.hasOwn(value, "value") || Object.keys(value).length > 1) {
    throw wrongOption(path, '"fail", "continue" or { value }', value);
  }
  const refusal = (place: string, problem: string) => wrongConfig(`${path}.value${place} ${problem}.`);
  return { value: cleanJson(value["value"], refusal) };
}

/** Reads a step that waits for a time. */
export function readSleep({ fields, name, path }: UncheckedStep): CheckedStepOf<"sleep"> {
  const { sleepMs, sleepUntil } = fields;
  const field = sleepMs === undefined ? "sleepUntil" : "sleepMs";
  const given = sleepMs ?? sleepUntil;
  const toTime = sleepMs === undefined ? timeOf : endOf;
  if (typeof given === "function") {
    const read = given as StateFunction;
    return { kind: "sleep", name, until: async (state) => checkTime(toTime(await read(state)), field) };
  }
  if (toTime(given) === undefined) throw wrongOption(`${path}.${field}`, expected[field], given);
  return { kind: "sleep", name, until: async () => await Promise.resolve(checkTime(toTime(given), field)) };
}

const expected = {
  sleepMs: "a number of milliseconds from 0, or a function of the state that returns it",
  sleepUntil: "a Date, epoch milliseconds, an ISO 8601 string, or a function of the state that returns one of them",
};

/** The last time that a `Date` can hold, in epoch milliseconds. */
const lastTime = 8.64e15;

function endOf(ms: unknown): number | undefined {
  return typeof ms === "number" && ms >= 0 && ms <= lastTime ? Date.now() + ms : undefined;
}

function timeOf(value: unknown): number | undefined {
  const time = value instanceof Date ? value.getTime() : typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Math.abs(time) <= lastTime ? time : undefined;
}

function checkTime(time: number | undefined, field: keyof typeof expected): number {
  if (time !== undefined) return Math.ceil(time);
  throw new TroupeError("invalid_value", `${field} must return ${expected[field].replace(/, or a function.*/, "")}.`);
}
