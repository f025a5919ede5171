import type { ChatMessage } from "@troupe/core";
import type { ToolSpec } from "@troupe/core";

/** A conversation of one user message. */
export function asking(text: string): ChatMessage[] {
  return [{ role: "user", content: text }];
}

/** Returns a tool with required string fields. */
export function toolOf(name: string, description: string, ...fields: string[]): ToolSpec {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { name, description, parameters: { type: "object", properties, required: fields } };
}

/** The tools of most tests. */
export const tools: ToolSpec[] = [
  toolOf("get_weather", "Tells the weather of a city.", "city"),
  {
    ...toolOf("get_time", "Tells the time.", "city"),
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
  toolOf("calculate", "Does arithmetic.", "expression"),
  toolOf("book_room", "Books a room in a city.", "city"),
];
