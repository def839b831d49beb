/** The bytes of a log and where its lines begin. A line becomes a string only when it is looked at. */

const FIRST_BYTES = 1 << 16;
const FIRST_LINES = 1 << 10;
const NEWLINE = 10;

export class LogText {
  private bytes = new Uint8Array(FIRST_BYTES);
  private starts = new Uint32Array(FIRST_LINES);
  private decoder = new TextDecoder();
  private lines = 0;
  size = 0;

  /** How many lines there are; the last may still grow. */
  get lineCount(): number {
    return this.lines;
  }

  /** Make room at once for what is known to come. */
  reserve(size: number): void {
    if (size <= this.bytes.length) return;
    const larger = new Uint8Array(size);
    larger.set(this.bytes.subarray(0, this.size));
    this.bytes = larger;
  }

  append(piece: Uint8Array): void {
    const needed = this.size + piece.length;
    if (needed > this.bytes.length) this.reserve(Math.max(needed, 2 * this.bytes.length));
    this.bytes.set(piece, this.size);
    let at = this.size;
    if (this.isLineOpen() === false && piece.length > 0) this.begin(at);
    for (;;) {
      at = this.bytes.indexOf(NEWLINE, at) + 1;
      if (at === 0 || at >= needed) break;
      this.begin(at);
    }
    this.size = needed;
  }

  line(index: number): string {
    if (index < 0 || index >= this.lines) return "";
    const next = index + 1 < this.lines ? (this.starts[index + 1] ?? this.size) : this.size;
    const end = this.bytes[next - 1] === NEWLINE ? next - 1 : next;
    return this.decoder.decode(this.bytes.subarray(this.starts[index], end));
  }

  private isLineOpen(): boolean {
    return this.size > 0 && this.bytes[this.size - 1] !== NEWLINE;
  }

  private begin(at: number): void {
    if (this.lines === this.starts.length) {
      const larger = new Uint32Array(2 * this.lines);
      larger.set(this.starts);
      this.starts = larger;
    }
    this.starts[this.lines++] = at;
  }
}

/** Which lines hold what is sought; looked through a part at a time, so that the page stays quick. */
export class LogSearch {
  readonly found: number[] = [];
  private next = 0;

  constructor(
    private readonly log: LogText,
    private readonly isWanted: (line: string) => boolean,
  ) {}

  /** Search until the time is up; return whether everything was searched. The last line is left while it may grow. */
  lookOn(isOver: boolean, milliseconds: number): boolean {
    const end = isOver ? this.log.lineCount : this.log.lineCount - 1;
    const until = performance.now() + milliseconds;
    while (this.next < end) {
      if (this.isWanted(this.log.line(this.next))) this.found.push(this.next);
      this.next += 1;
      if (this.next % 256 === 0 && performance.now() > until) return false;
    }
    return true;
  }
}
