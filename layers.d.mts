/** The shape of `layers.mjs`, which describes each part. */
export interface Layers {
  readonly folderLayers: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly testKit: string;
  readonly coreEntryPoints: Readonly<Record<string, string>>;
  readonly packageEdges: Readonly<Record<string, readonly string[]>>;
  readonly internalUsers: Readonly<Record<string, readonly string[]>>;
  readonly testEntryPoints: { readonly names: readonly string[]; readonly users: readonly string[] };
  readonly sharedTestTools: readonly string[];
  readonly environmentReaders: readonly string[];
  readonly ownerModules: readonly string[];
}

export declare const folderLayers: Layers["folderLayers"];
export declare const testKit: Layers["testKit"];
export declare const coreEntryPoints: Layers["coreEntryPoints"];
export declare const packageEdges: Layers["packageEdges"];
export declare const internalUsers: Layers["internalUsers"];
export declare const testEntryPoints: Layers["testEntryPoints"];
export declare const sharedTestTools: Layers["sharedTestTools"];
export declare const environmentReaders: Layers["environmentReaders"];
export declare const ownerModules: Layers["ownerModules"];
