import { existsSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join, posix } from "node:path";

/** Returns the links of a built site that lead to a missing page, or to a missing part of a page. */
export async function findBrokenLinks(folder: string, base: string): Promise<string[]> {
  const files = (await Array.fromAsync(glob("**/*.html", { cwd: folder }))).map((file) => file.replaceAll("\\", "/"));
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  const ids = new Map(Array.from(texts, ([file, text]) => [file, new Set(matches(text, / id="([^"]+)"/g))]));
  return Array.from(texts).flatMap(([file, text]) => {
    const links = matches(text, / href="([^"]+)"/g).filter((link) => !/^(https?:|mailto:|data:)/.test(link));
    const isBroken = (link: string) => {
      const [target = "", part = ""] = link.replaceAll("&amp;", "&").split("#");
      const found =
        target === ""
          ? file
          : fileOf(target.startsWith(base) ? target.slice(base.length) : posix.join(posix.dirname(file), target));
      if (!found.endsWith(".html")) return !existsSync(join(folder, found));
      return !texts.has(found) || (part !== "" && ids.get(found)?.has(decodeURIComponent(part)) !== true);
    };
    return [...new Set(links)].filter(isBroken).map((link) => `${file}: ${link}`);
  });
}

/** Returns the file to which a path of the site leads. The path of a page may lack its file name extension. */
function fileOf(path: string): string {
  if (path === "" || path.endsWith("/")) return `${path}index.html`;
  return posix.extname(path) === "" ? `${path}.html` : path;
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, found = ""]) => found);
}
