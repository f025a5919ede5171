import type { ModelSettings, RunAdditions } from "@troupe/core";
import { wrongField } from "../wire/api-error.ts";
import { arrayAt, objectAt, optionalStringAt, stringAt } from "./fields.ts";
import type { Fields } from "./fields.ts";

type ClientTool = NonNullable<RunAdditions["clientTools"]>[number];

/**
 * The tools and the tool choice of a request, both for the run and in the form in which they were sent, because the
 * answer repeats them.
 */
export type ReadTools = {
  readonly clientTools: readonly ClientTool[];
  readonly toolChoice: ModelSettings["toolChoice"];
};

/**
 * Reads the tools of a request, which its client executes. In Chat Completions the fields of a tool are in `function`,
 * in Responses beside its `type`. With the tool choice `none`, the run gets no tools.
 */
export function readTools({ tools, tool_choice: choice }: Fields): ReadTools {
  if (tools === undefined || tools === null) return { clientTools: [], toolChoice: undefined };
  const clientTools = arrayAt(tools, "tools").map((tool, index) =>
    readTool(objectAt(tool, `tools[${index}]`), `tools[${index}]`),
  );
  if (choice === "none") return { clientTools: [], toolChoice: undefined };
  return { clientTools, toolChoice: clientTools.length === 0 ? undefined : readChoice(choice, clientTools) };
}

function readTool(tool: Fields, param: string): ClientTool {
  if (tool["type"] !== "function") {
    const problem = 'must be "function": tools of the vendor, and others, are the agent\'s own.';
    throw wrongField(`${param}.type`, problem, "unsupported_parameter");
  }
  const [fields, place] =
    tool["function"] === undefined
      ? [tool, param]
      : [objectAt(tool["function"], `${param}.function`), `${param}.function`];
  const description = optionalStringAt(fields["description"], `${place}.description`);
  const parameters = fields["parameters"] ?? undefined;
  return {
    name: nameAt(fields["name"], `${place}.name`),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters: objectAt(parameters, `${place}.parameters`) }),
  };
}

function nameAt(value: unknown, param: string): string {
  const name = stringAt(value, param);
  if (name.trim() === "") throw wrongField(param, "must not be blank.");
  return name;
}

function readChoice(choice: unknown, tools: readonly ClientTool[]): ModelSettings["toolChoice"] {
  if (choice === undefined || choice === null || choice === "auto") return undefined;
  if (choice === "required") return "required";
  const { type, name, function: named } = objectAt(choice, "tool_choice");
  // A list of allowed tools is ignored, because it cannot limit the agent's own tools.
  if (type === "allowed_tools") return undefined;
  const tool = name ?? objectAt(named, "tool_choice.function")["name"];
  if (tools.some((each) => each.name === tool)) return { tool: String(tool) };
  throw wrongField("tool_choice", "must name one of the tools of the request.");
}

/** The form of the answer, from `response_format` or `text.format`. */
export type ReadFormat = Pick<RunAdditions, "outputSchema"> & Pick<ModelSettings, "responseFormat">;

/** Reads the form of the answer: text, any JSON, or JSON that fits a schema. The service validates the JSON. */
export function readFormat(value: unknown, param: string): ReadFormat {
  if (value === undefined || value === null) return {};
  const format = objectAt(value, param);
  switch (format["type"]) {
    case "text":
      return {};
    case "json_object":
      return { responseFormat: "json" };
    case "json_schema": {
      const isNested = format["json_schema"] !== undefined;
      const fields = isNested ? objectAt(format["json_schema"], `${param}.json_schema`) : format;
      return { outputSchema: objectAt(fields["schema"], `${param}${isNested ? ".json_schema" : ""}.schema`) };
    }
    default:
      throw wrongField(`${param}.type`, 'must be "text", "json_object" or "json_schema".');
  }
}
