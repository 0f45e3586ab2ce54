import { expect, test } from "vitest";
import { type Bytes, sha256, utf8 } from "./bytes";
import { isConsistent, isIncluded, leafHash, nodeHash } from "./merkle";

const MOST = 11;
const LEAVES = await Promise.all(
  Array.from({ length: MOST }, (_, index) => leafHash(utf8(`entry ${index}`))),
);

function split(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

/** The root of some leaves, by its definition (2.1.1). */
async function root(leaves: readonly Bytes[]): Promise<Bytes> {
  const [first] = leaves;
  if (first === undefined) return sha256(new Uint8Array());
  if (leaves.length === 1) return first;
  const k = split(leaves.length);
  return nodeHash(await root(leaves.slice(0, k)), await root(leaves.slice(k)));
}

/** PATH(index, leaves) of 2.1.3.1. */
async function inclusion(index: number, leaves: readonly Bytes[]): Promise<Bytes[]> {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return index < k
    ? [...(await inclusion(index, left)), await root(right)]
    : [...(await inclusion(index - k, right)), await root(left)];
}

/** SUBPROOF(size, leaves, isWhole) of 2.1.4.1. */
async function consistency(
  size: number,
  leaves: readonly Bytes[],
  isWhole = true,
): Promise<Bytes[]> {
  if (size === leaves.length) return isWhole ? [] : [await root(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return size <= k
    ? [...(await consistency(size, left, isWhole)), await root(right)]
    : [...(await consistency(size - k, right, false)), await root(left)];
}

async function tree(size: number) {
  return { size, root: await root(LEAVES.slice(0, size)) };
}

test("each leaf of each tree is included, and no other leaf by its proof", async () => {
  for (let size = 1; size <= MOST; size++) {
    for (let index = 0; index < size; index++) {
      const path = await inclusion(index, LEAVES.slice(0, size));
      const leaf = LEAVES[index] ?? new Uint8Array();
      const proof = { leaf, index, ...(await tree(size)), path };
      expect(await isIncluded(proof)).toBe(true);
      expect(await isIncluded({ ...proof, leaf: await leafHash(utf8("other")) })).toBe(false);
      expect(await isIncluded({ ...proof, path: [...path, leaf] })).toBe(false);
      expect(await isIncluded({ ...proof, index: size })).toBe(false);
    }
  }
});

test("each tree begins with each smaller one, and with no other", async () => {
  for (let size = 1; size <= MOST; size++) {
    for (let first = 1; first <= size; first++) {
      const path = await consistency(first, LEAVES.slice(0, size));
      const [before, after] = [await tree(first), await tree(size)];
      expect(await isConsistent(before, after, path)).toBe(true);
      const other = { ...before, root: await leafHash(utf8("other")) };
      expect(await isConsistent(other, after, path)).toBe(false);
      expect(await isConsistent(before, { ...after, root: other.root }, path)).toBe(false);
      expect(await isConsistent(before, after, [...path, other.root])).toBe(false);
    }
  }
});

test("every tree begins with the empty one, and none with a larger", async () => {
  expect(await isConsistent(await tree(0), await tree(3), [])).toBe(true);
  expect(await isConsistent(await tree(3), await tree(2), [])).toBe(false);
});
