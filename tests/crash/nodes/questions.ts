import { canaries } from "./node-setup.ts";

/** Kinds of runs, with the tools that the model calls in each of its round trips. */
const roundTrips = {
  talk: [],
  cancel: [],
  together: [["pure", "idempotent", "checked", "asked"]],
  inTurn: [["asked"], ["checked"], ["idempotent"]],
  approval: [["approved"]],
  client: [["locate", "checked"]],
  remote: [["delegate_to_clerk"]],
} as const satisfies Record<string, readonly (readonly ToolName[])[]>;

/**
 * Names of the tools: one for each effect, one that needs an approval, one that the client executes, and one that gives a
 * team's remote member a task.
 */
export type ToolName = "pure" | "idempotent" | "checked" | "asked" | "approved" | "locate" | "delegate_to_clerk";

/** A kind of run. */
export type RunScene = keyof typeof roundTrips;

/** A question as the vendor reads it. */
export type ReadQuestion = { scene: RunScene; number: number };

/** The tools of effect `once`. */
export const onceTools: readonly string[] = ["checked", "asked", "approved"] satisfies ToolName[];

const wordCount = 25;

/** The words of a question. */
export function questionText({ scene, number }: ReadQuestion): string {
  return `Question #${number}# of ${scene} ${canaries.prompt}`;
}

/** Reads the last question in the messages of a request. */
export function readQuestion(messages: unknown): ReadQuestion | undefined {
  const found = [...JSON.stringify(messages).matchAll(/Question #(\d+)# of (\w+) /g)].at(-1);
  const [, number, scene = ""] = found ?? [];
  return scene in roundTrips ? { scene: scene as RunScene, number: Number(number) } : undefined;
}

/** The words with which a question is answered, each with its number. */
export function answerWords({ scene, number }: ReadQuestion): string[] {
  const count = scene === "cancel" ? 4 * wordCount : wordCount;
  return Array.from({ length: count }, (_, index) => (index === 5 ? `${canaries.answer} ` : `${number}.${index} `));
}

/** The tools that a model calls in a round trip, and none when it answers. */
export function toolsOf({ scene }: ReadQuestion, roundTrip: number): readonly ToolName[] {
  return roundTrips[scene][roundTrip] ?? [];
}

/** The tools with an effect in the file of effects that a run has called when it completes. */
export function effectsOf(scene: RunScene): ToolName[] {
  return roundTrips[scene].flat().filter((name) => name !== "locate" && name !== "delegate_to_clerk");
}
