import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Finds the path of a program. Undefined if there is none. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}
