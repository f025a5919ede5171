import type { Layers } from "../layers.ts";
import { isTest } from "../workspace.ts";

/** A file among the layers of a folder. */
export interface FolderPlace {
  /** The folder whose parts have layers: `packages/core/src`, or a room of it. */
  readonly source: string;
  /** The folder inside it, or the name of a file that stands beside the folders; `"."` if `tools/layers/layers.ts` does not name the file. */
  readonly folder: string;
  readonly isInFolder: boolean;
  readonly isEntryPoint: boolean;
  readonly isTest: boolean;
  /** Part of the test kit, which tests of every layer may import. */
  readonly isTestKit: boolean;
  /** Counted from the lowest; `-1` when `tools/layers/layers.ts` does not name the folder. */
  readonly layer: number;
}

/** Locates a path in each layered folder that it is in, the outermost first. */
export function folderPlaces(path: string, layers: Layers): FolderPlace[] {
  return Object.keys(layers.folderLayers)
    .filter((source) => path.startsWith(`${source}/`))
    .map((source) => placeIn(source, path, layers));
}

function placeIn(source: string, path: string, { folderLayers, coreEntryPoints, testKit }: Layers): FolderPlace {
  const layers = folderLayers[source] ?? [];
  const [first = "", ...rest] = path.slice(source.length + 1).split("/");
  // Helpers of the tests of files that stand beside the folders.
  const isInFolder = rest.length > 0 && first !== "test";
  const layerOf = (folder: string): number => layers.findIndex((layer) => layer.includes(folder));
  const name = first.replace(/\.tsx?$/, "");
  const folder = isInFolder || layerOf(name) !== -1 || layerOf(".") === -1 ? name : ".";
  return {
    source,
    folder,
    isInFolder,
    isEntryPoint: path === `${source}/index.ts` || Object.values(coreEntryPoints).includes(path),
    isTest: isTest(path),
    isTestKit: path.startsWith(`${testKit}/`),
    layer: layerOf(folder),
  };
}
