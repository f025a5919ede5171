/** The part in which the two programs differ: the function that makes a tool. */
export type ToolMaker = { imports: string; prelude: string; make: string };

/** `defineTool` of core. */
export const troupe: ToolMaker = {
  imports: 'import { defineTool } from "@troupe/core";',
  prelude: "",
  make: "defineTool",
};

/** The plainest helper that types the arguments of `execute`: one generic, inferred from the schema. */
export const plain: ToolMaker = {
  imports: "",
  prelude: `
type Schema = { readonly "~standard": { readonly types?: { readonly output: unknown } | undefined } };
type Output<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];
function plainTool<const S extends Schema>(definition: {
  name: string;
  description: string;
  parameters: S;
  execute(args: Output<S>): string | Promise<string>;
}) {
  return definition;
}`,
  make: "plainTool",
};

/** Returns a program with `count` tools, each with its own schema. */
export function toolProgram({ imports, prelude, make }: ToolMaker, count: number): string {
  const tools = Array.from({ length: count }, (_, index) => toolSource(make, index));
  return `import { z } from "zod";\n${imports}\n${prelude}\n${tools.join("\n")}\n`;
}

function toolSource(make: string, index: number): string {
  return `
export const tool${index} = ${make}({
  name: "tool_${index}",
  description: "Does thing ${index}.",
  parameters: z.object({
    field${index}: z.string(),
    count: z.number().int().min(${index}),
    mode: z.enum(["fast${index}", "slow"]).optional(),
    nested: z.object({ list: z.array(z.string()), deep: z.object({ flag: z.boolean() }) }),
  }),
  execute: ({ field${index}, count, mode, nested }) =>
    \`\${field${index}.toUpperCase()} \${count.toFixed(0)} \${mode ?? "none"} \${nested.list.join()} \${nested.deep.flag}\`,
});`;
}
