import type { QuestionFile } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** Returns the content of the files attached to a question: of local files, and of files that the service stores. */
export async function readFiles(files: readonly QuestionFile[]): Promise<File[]> {
  return await Promise.all(files.map(readFile));
}

async function readFile({ file, url, name, type }: QuestionFile): Promise<File> {
  if (file !== undefined) return file;
  if (url === undefined) throw new Error(strings.conversation.goneFile(name));
  const response = await fetch(url);
  if (!response.ok) throw new Error(strings.conversation.unreadFile(name));
  return new File([await response.blob()], name, { type });
}
