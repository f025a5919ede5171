import type { Part } from "@google/genai/web";
import { readObject, readText } from "@troupe/core/kit";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a part of an answer in the form in which the next request sends it back: without `null` fields, which proxies
 * send, and with a valid text and call.
 */
export function toPart(given: Fields): Part {
  const { text, functionCall } = given;
  const isSound = (text === undefined || typeof text === "string") && !Object.values(given).includes(null);
  if (isSound && functionCall === undefined) return given;
  const part = withoutNull(given);
  if (text !== undefined) part["text"] = readText(text);
  if ((functionCall ?? undefined) !== undefined) part["functionCall"] = toCall(readObject(functionCall));
  return part;
}

function toCall(given: Fields): Fields {
  const call = withoutNull(given);
  const { id, name, partialArgs } = call;
  if (id !== undefined) call["id"] = readText(id);
  if (name !== undefined) call["name"] = readText(name);
  if (partialArgs !== undefined && !Array.isArray(partialArgs)) delete call["partialArgs"];
  return call;
}

function withoutNull(given: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
