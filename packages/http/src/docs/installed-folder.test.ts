import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import * as original from "./swagger-ui-files.ts";

it.each(["plain", "mit Leerzeichen", "für alle", "日本", "100%41"])(
  "the docs page finds its files beside the built code in a folder named %s",
  async (name) => {
    const root = await mkdtemp(join(tmpdir(), "installed-"));
    onTestFinished(async () => await rm(root, { recursive: true }));
    const built = join(root, name, "dist");
    await mkdir(join(built, "swagger-ui"), { recursive: true });
    await writeFile(join(built, "swagger-ui", original.pageFiles[0]), "");
    const file = join(built, "swagger-ui-files.ts");
    await copyFile(join(import.meta.dirname, "swagger-ui-files.ts"), file);
    const { findSwaggerUi } = (await import(pathToFileURL(file).href)) as typeof original;

    expect(findSwaggerUi()).toBe(join(built, "swagger-ui"));
  },
);
