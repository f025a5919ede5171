import { callWhole } from "../agent/call-model.ts";
import { toolLoop } from "../agent/tool-loop.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { compileStructuredSchema } from "../schema/compile-schema.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { drain } from "../util/drain.ts";
import type { Member } from "./member.ts";
import type { TeamPlan } from "./team-plan.ts";

type Choice = { member: string };

/** Lets the orchestrator pick the member that is to answer. A choice of nobody is sent back, like any answer without its form. */
export async function chooseMember({ orchestrator, members, run }: TeamPlan): Promise<Member> {
  const [only, ...others] = members;
  if (only !== undefined && others.length === 0) return only;
  const structured = choiceOf(members);
  // What is said here is no part of the answer.
  const aside = run.aside<Choice>();
  const responseFormat = { type: "json_schema" as const, schema: structured.jsonSchema };
  const options = { ...orchestrator.options, responseFormat };
  await drain(
    toolLoop({ ...orchestrator, run: aside, callModel: callWhole, options, structured, maxToolRoundtrips: 0 }),
  );
  const chosen = members.find(({ name }) => name === aside.structured?.member);
  if (chosen === undefined) throw new TroupeError("structured_output_invalid", "The orchestrator picked no member.");
  return chosen;
}

function choiceOf(members: readonly Member[]): CompiledSchema<Choice> {
  const schema = {
    type: "object",
    properties: { member: { type: "string", enum: members.map(({ name }) => name) } },
    required: ["member"],
    additionalProperties: false,
  };
  return compileStructuredSchema(schema, "choice") as CompiledSchema<Choice>;
}
