import { defineTool } from "@troupe/core";
import { z } from "zod";
import { evaluate } from "./evaluate.ts";

/** Works out an expression. */
export const calculate = defineTool({
  name: "calculate",
  description: "Does arithmetic: numbers, + - * / % ^ and parentheses.",
  parameters: z.strictObject({ expression: z.string().min(1).max(200).describe("Like (12 + 3) * 7.") }),
  effect: "pure",
  execute: ({ expression }) => `${expression} = ${evaluate(expression)}.`,
});
