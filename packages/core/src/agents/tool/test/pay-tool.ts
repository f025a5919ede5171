import { vi } from "vitest";
import * as z from "zod";
import type { ExecutableTool } from "../../run/tool.ts";
import { defineTool } from "../define-tool.ts";

type Execute = (args: Record<string, unknown>) => string;

/** A tool that pays an amount, and the function that notes each payment. */
export const pay = (more: Partial<ExecutableTool> = {}) => {
  const paid = vi.fn<Execute>((args) => `paid ${String(args["amount"])}`);
  const tool = defineTool({
    name: "pay",
    description: "Pays an amount.",
    parameters: z.object({ amount: z.number(), to: z.string().default("Ada") }),
    execute: (args: Record<string, unknown>) => paid(args),
    ...more,
  });
  return { tool, paid };
};
