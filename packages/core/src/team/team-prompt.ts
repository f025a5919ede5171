import type { Member } from "./member.ts";
import type { TeamMode } from "./team-config.ts";

const tasks: Readonly<Record<TeamMode, string>> = {
  coordinate:
    "Hand tasks to your members with the tools that are named for them: several at once where one does not need what the other finds, and again when you have seen results. They see nothing of this conversation, so put into each task all that it takes. When you have what you need, answer the user yourself. Where a member failed and its part is missing, say so.",
  route:
    "Pick the one member that is to answer what the user said last. Answer with JSON alone that holds its name as it stands in the list.",
  broadcast:
    "All your members answer what the user said. Make one answer of theirs, for the user. Where a member failed and its part is missing, say so.",
  collaborate:
    "Your members discuss what the user said. Answer the user from what they have said, and where they do not agree, say so.",
};

/** What the orchestrator of a team is told. */
export function teamPrompt(mode: TeamMode, members: readonly Member[], instructions = ""): string {
  const list = members.map(({ name, runnable: { description } }) =>
    description ? `- ${name}: ${description}` : `- ${name}`,
  );
  const prompt = ["You lead a team. Its members are:", list.join("\n"), tasks[mode], instructions];
  return prompt.filter((text) => text !== "").join("\n\n");
}
