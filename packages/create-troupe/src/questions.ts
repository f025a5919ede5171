import { templates } from "./templates.ts";
import type { TemplateName } from "./templates.ts";
import { vendors } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";
import type { Arguments } from "./read-arguments.ts";

/** Asks the user one question and returns the line of the answer. */
export type Ask = (question: string) => Promise<string>;

/**
 * The answers to the four questions: the folder, the kind of project, the vendor, and yes or no to installing the
 * dependencies.
 */
export interface Answers {
  readonly folder: string;
  readonly template: TemplateName;
  readonly vendor: VendorName;
  readonly install: boolean;
}

const defaultFolder = "my-agents";

/** Asks about each choice that the arguments leave open. Without `ask`, the first choice is taken. */
export async function answerQuestions(given: Arguments, ask: Ask | undefined): Promise<Answers> {
  const folder = given.folder ?? (await ask?.(`Folder (${defaultFolder}): `))?.trim();
  return {
    folder: folder === undefined || folder === "" ? defaultFolder : folder,
    template: given.template ?? (await choose("What do you build?", templates, ask)),
    vendor: given.vendor ?? (await choose("Whose model?", vendors, ask)),
    install: given.install ?? (await confirm("Install the dependencies?", ask)),
  };
}

/**
 * Asks for one of the choices, by its number or its name, until the answer names one of them. An empty answer means the
 * first choice.
 */
async function choose<Name extends string>(
  question: string,
  choices: Readonly<Record<Name, { readonly title: string }>>,
  ask: Ask | undefined,
): Promise<Name> {
  const names = Object.keys(choices) as Name[];
  const [first] = names;
  if (first === undefined) throw new TypeError("There is nothing to choose from.");
  if (ask === undefined) return first;
  const lines = names.map((name, index) => `  ${index + 1}. ${name}: ${choices[name].title}`);
  let text = `${question}\n${lines.join("\n")}\nNumber or name (1): `;
  for (;;) {
    const answer = (await ask(text)).trim().toLowerCase();
    const found = answer === "" ? first : (names[Number(answer) - 1] ?? names.find((name) => name === answer));
    if (found !== undefined) return found;
    text = `Expected 1 to ${names.length}, or a name: `;
  }
}

async function confirm(question: string, ask: Ask | undefined): Promise<boolean> {
  const answer = (await ask?.(`${question} (Y/n): `))?.trim().toLowerCase();
  return answer === undefined || !answer.startsWith("n");
}
