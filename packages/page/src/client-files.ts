import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, brotliCompress, gzip } from "node:zlib";

/** A file of the page as it is sent: as it is, and compressed. */
export type ClientFile = {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
};

/** The files of the page by name, and the names of those that the document names. */
export type ClientFiles = {
  readonly files: ReadonlyMap<string, ClientFile>;
  readonly script: string;
  readonly style: string;
  /** The style sheet that is loaded with the inspector. */
  readonly inspectorStyle: string;
};

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** The files for all pages of this process, which are the same: to bundle and to compress them takes most of a page's start. */
let reading: Promise<ClientFiles> | undefined;

/**
 * Reads the scripts and the style sheet of the page: those that the build has made or, in a checkout without them, those that it
 * would make. After a failure they are read anew.
 */
export async function readClientFiles(readContents = findContents): Promise<ClientFiles> {
  const begun = (reading ??= read(readContents));
  try {
    return await begun;
  } catch (error) {
    if (reading === begun) reading = undefined;
    throw error;
  }
}

async function findContents(): Promise<Contents> {
  return (await readBuilt(new URL("client/", import.meta.url))) ?? (await bundleSources());
}

async function read(readContents: () => Promise<Contents>): Promise<ClientFiles> {
  const contents = await readContents();
  const files = new Map<string, ClientFile>();
  for (const [name, content] of contents) {
    const type = types[name.split(".").at(-1) ?? ""];
    if (type !== undefined) files.set(name, await compress(type, Buffer.from(content)));
  }
  const nameOf = (pattern: RegExp) => [...files.keys()].find((name) => pattern.test(name)) ?? "";
  const [script, style] = [nameOf(/^main-.+\.js$/), nameOf(/^style-.+\.css$/)];
  return { files, script, style, inspectorStyle: nameOf(/^inspector-.+\.css$/) };
}

type Contents = ReadonlyMap<string, Uint8Array>;

async function readBuilt(folder: URL): Promise<Contents | undefined> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return undefined;
  const entries = names.map(async (name) => [name, await readFile(new URL(name, folder))] as const);
  return new Map(await Promise.all(entries));
}

/** The sources are in the repository alone, and so is what bundles them: no import that a build would follow. */
async function bundleSources(): Promise<Contents> {
  const bundler = (await import(new URL("../bundle-client.ts", import.meta.url).href)) as {
    bundleClient(): Promise<Contents>;
  };
  return await bundler.bundleClient();
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)];

async function compress(type: string, plain: Buffer): Promise<ClientFile> {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return { type, plain, gzip: await toGzip(plain, { level: 9 }), br: await toBrotli(plain, quality) };
}
