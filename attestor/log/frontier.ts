/** A tree that grows by one leaf after the other, kept as the roots of its whole subtrees: some twenty hashes for millions. */
import { HASHER, type TreeHasher } from "./hasher.ts";

/** The root of a whole subtree: of `2 ** level` leaves, the `index`-th of its level from the left. */
export interface Node {
  readonly level: number;
  readonly index: number;
}

/** The whole subtrees that a tree of a size consists of, the largest and leftmost first. */
export function wholeSubtrees(size: number): Node[] {
  const nodes: Node[] = [];
  let covered = 0;
  for (let level = 52; level >= 0; level--) {
    const width = 2 ** level;
    if (size - covered < width) continue;
    nodes.push({ level, index: covered / width });
    covered += width;
  }
  return nodes;
}

export class Frontier {
  readonly #hasher: TreeHasher;
  readonly #hashes: Uint8Array[];
  #size: number;

  /** @param hashes of the nodes of `wholeSubtrees(size)` */
  constructor(size: number, hashes: readonly Uint8Array[], hasher: TreeHasher = HASHER) {
    if (wholeSubtrees(size).length !== hashes.length)
      throw new RangeError(`a tree of ${size} leaves does not consist of ${hashes.length} subtrees`);
    this.#size = size;
    this.#hashes = [...hashes];
    this.#hasher = hasher;
  }

  get size(): number {
    return this.#size;
  }

  get hashes(): readonly Uint8Array[] {
    return this.#hashes;
  }

  /** @param onNode told of every subtree that this leaf makes whole, the leaf itself first */
  append(leafHash: Uint8Array, onNode: (node: Node, hash: Uint8Array) => void = () => {}): void {
    let node = { level: 0, index: this.#size };
    let hash = leafHash;
    onNode(node, hash);
    while (node.index % 2 === 1) {
      hash = this.#hasher.node(this.#hashes.pop() as Uint8Array, hash);
      node = { level: node.level + 1, index: (node.index - 1) / 2 };
      onNode(node, hash);
    }
    this.#hashes.push(hash);
    this.#size++;
  }

  root(): Uint8Array {
    return this.#hashes.length === 0
      ? this.#hasher.empty
      : this.#hashes.reduceRight((right, left) => this.#hasher.node(left, right));
  }

  copy(): Frontier {
    return new Frontier(this.#size, this.#hashes, this.#hasher);
  }
}
