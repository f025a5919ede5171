import type { Layers } from "../layers.ts";
import { isTest } from "../workspace.ts";

/** The layer of a file in a layered folder. */
export interface FolderPlace {
  /** The folder whose parts have layers: `packages/core/src`, or a room of it. */
  readonly source: string;
  /**
   * The folder inside `source`, or the name of a file beside the folders; `"."` if `tools/layers/layers.ts` does not
   * name the file.
   */
  readonly folder: string;
  readonly isInFolder: boolean;
  readonly isEntryPoint: boolean;
  readonly isTest: boolean;
  /** True for the test kit, which tests of every layer may import. */
  readonly isTestKit: boolean;
  /** The layer, counted from the lowest; `-1` if `tools/layers/layers.ts` does not name the folder. */
  readonly layer: number;
}

/** Returns the place of a path in each layered folder that contains it, the outermost first. */
export function folderPlaces(path: string, layers: Layers): FolderPlace[] {
  return Object.keys(layers.folderLayers)
    .filter((source) => path.startsWith(`${source}/`))
    .map((source) => placeIn(source, path, layers));
}

function placeIn(source: string, path: string, { folderLayers, entryPoints, testKit }: Layers): FolderPlace {
  const layers = folderLayers[source] ?? [];
  const [first = "", ...rest] = path.slice(source.length + 1).split("/");
  // The test folder for files beside the folders is not a folder with a layer.
  const isInFolder = rest.length > 0 && first !== "test";
  const layerOf = (folder: string): number => layers.findIndex((layer) => layer.includes(folder));
  const name = first.replace(/\.tsx?$/, "");
  const folder = isInFolder || layerOf(name) !== -1 || layerOf(".") === -1 ? name : ".";
  return {
    source,
    folder,
    isInFolder,
    isEntryPoint: path === `${source}/index.ts` || Object.values(entryPoints).includes(path),
    isTest: isTest(path),
    isTestKit: path.startsWith(`${testKit}/`),
    layer: layerOf(folder),
  };
}
