import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block of a page. */
export interface Block {
  /** The path of the page from the root of the repository. */
  readonly page: string;
  readonly language: string;
  /** The file that the block names, from the page's folder. Undefined if it names none. */
  readonly file: string | undefined;
  readonly text: string;
  /** True if it directly follows a program, whose output it is. */
  readonly isOutput: boolean;
}

/** The folder of the repository. */
export const root = join(import.meta.dirname, "../../../..");

const fence = /^(?<ticks>`{3,})(?<language>\w*)(?: (?<file>\S+))?\n(?<text>[\s\S]*?)^\k<ticks>$/gm;

/** Returns the fenced blocks of a page, in order. */
export function readBlocks(page: string, markdown = readFileSync(join(root, page), "utf8")): Block[] {
  let end = -1;
  let follows = false;
  return [...markdown.matchAll(fence)].map(({ index, 0: all, groups }) => {
    const [language = "", file, text = ""] = [groups?.["language"], groups?.["file"], groups?.["text"]];
    const isOutput = language === "text" && follows && markdown.slice(end, index).trim() === "";
    end = index + all.length;
    follows = file !== undefined;
    return { page, language, file, text, isOutput };
  });
}

/** Names a block in a message: its page and its first line. */
export function titleOf({ page, text }: Pick<Block, "page" | "text">): string {
  return `${page}: ${text.split("\n", 1)[0]}`;
}

/** The place of a block: its page and its beginning. */
export interface Place {
  readonly page: string;
  readonly begins: string;
}

/** Returns a function that tells if a block has a place. */
export const isAt =
  (block: Block) =>
  ({ page, begins }: Place): boolean =>
    block.page === page && block.text.startsWith(begins);

/** Returns the text of the block at a place, without those that name a file. */
export function textOf(place: Place): string {
  const found = readBlocks(place.page).find((block) => block.file === undefined && isAt(block)(place));
  if (found === undefined) throw new Error(`${place.page} has no block that begins with "${place.begins}".`);
  return found.text;
}
