// JSON objects: whether a value is one, and the merge of a patch into one.

/**
 * Applies a JSON Merge Patch (RFC 7396). A null stays in the result, since absent members of objects are
 * null.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name === '__proto__') continue; // no schema has this member, and it would set the prototype
    merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
