import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findOriginal, licenceFiles, pageFiles } from "./swagger-ui-files.ts";

// Build script: copies the files of Swagger UI that the docs need, with their licences, into the package.
const [from, to] = [findOriginal(), join(import.meta.dirname, "../../dist/swagger-ui")];
const remark = "/* Changed: the reference to a source map, which is not shipped, was taken out. */";

await mkdir(to, { recursive: true });
for (const name of [...pageFiles, ...licenceFiles]) {
  if (name.endsWith(".css")) await copyWithoutMap(name);
  else await copyFile(join(from, name), join(to, name));
}

async function copyWithoutMap(name: string): Promise<void> {
  const text = await readFile(join(from, name), "utf8");
  await writeFile(join(to, name), text.replace(/^\/\*# sourceMappingURL=.*$/m, remark));
}
