import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, brotliCompress, gzip } from "node:zlib";

/**
 * A file of the page in the forms in which it is sent: plain and compressed. A font is compressed already, so it has only
 * the plain form.
 */
export type ClientFile = {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip?: Buffer;
  readonly br?: Buffer;
};

/** The files of the page by name, and the names of the files to which the document refers. */
export type ClientFiles = {
  readonly files: ReadonlyMap<string, ClientFile>;
  readonly script: string;
  readonly style: string;
  /** The name of the file with the letters of English and German in the web font. */
  readonly font: string;
  /** The name of the style sheet that is loaded with the inspector. */
  readonly inspectorStyle: string;
  /** The name of the style sheet that is loaded with the first graph of a workflow in the chat. */
  readonly graphStyle: string;
  /** The name of the style sheet that is loaded with the first chart in the chat. */
  readonly chartStyle: string;
};

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2",
};

/**
 * The client files, shared by all pages of this process, because bundling and compressing take most of a page's start.
 */
let reading: Promise<ClientFiles> | undefined;

/** The files of the page by name; undefined until they have been read. */
let served: ClientFiles["files"] | undefined;

/** The form of the names of client files: with a hash of their content. */
const nameForm = /^[\w-]+-[A-Z\d]{8}\.(?:js|css|woff2)$/;

/** Returns true for the name of a client file, and for any name of its form before the files are read. */
export function isServedFile(name: string): boolean {
  return served === undefined ? nameForm.test(name) : served.has(name);
}

/**
 * Reads the scripts, the style sheet and the font of the page: the files of the build or, in a checkout without a build, newly
 * bundled files. After a failure the next call reads them again.
 */
export async function readClientFiles(readContents = findContents): Promise<ClientFiles> {
  const begun = (reading ??= read(readContents));
  try {
    const files = await begun;
    served = files.files;
    return files;
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
  const [inspectorStyle, graphStyle] = [nameOf(/^inspector-.+\.css$/), nameOf(/^graph-.+\.css$/)];
  const [chartStyle, font] = [nameOf(/^chart-.+\.css$/), nameOf(/-latin-wght-normal-.+\.woff2$/)];
  return { files, script, style, font, inspectorStyle, graphStyle, chartStyle };
}

type Contents = ReadonlyMap<string, Uint8Array>;

async function readBuilt(folder: URL): Promise<Contents | undefined> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return undefined;
  const entries = names.map(async (name) => [name, await readFile(new URL(name, folder))] as const);
  return new Map(await Promise.all(entries));
}

/**
 * Bundles the sources of the page. They and their bundler exist only in the repository, so the path is hidden from the
 * build.
 */
async function bundleSources(): Promise<Contents> {
  const bundler = (await import(new URL("../bundle-client.ts", import.meta.url).href)) as {
    bundleClient(): Promise<Contents>;
  };
  return await bundler.bundleClient();
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)];

async function compress(type: string, plain: Buffer): Promise<ClientFile> {
  if (type === types["woff2"]) return { type, plain };
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return { type, plain, gzip: await toGzip(plain, { level: 9 }), br: await toBrotli(plain, quality) };
}
