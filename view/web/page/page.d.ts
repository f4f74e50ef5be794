// The exports of page.wasm (exports.cc has the contracts). Pointers and sizes are bytes in
// `memory`.
type Address = number;
interface PageModule {
  memory: WebAssembly.Memory;
  _initialize(): void;
  start(): void;
  allocate(size: number): Address;
  release(at: Address): void;
  result(): Address;
  result_size(): number;

  add_file(path: Address, pathSize: number, bytes: Address, size: number): void;
  add_packed_file(path: Address, pathSize: number, bytes: Address, packedSize: number, size: number): void;
  patch_file(path: Address, pathSize: number, bytes: Address, size: number, parts: Address, partsSize: number, newSize: number): void;
  remove_file(path: Address, pathSize: number): void;
  forget_files(): void;
  open_trace(which: number, path: Address, pathSize: number, title: Address, titleSize: number): void;
  set_life(utc: number, running: number): void;
  go_on(): void;
  set_links(bytes: Address, size: number): void;
  begin_together(): void;
  show_path(which: number, task: bigint): number;
  event_count(): number;

  resize(width: number, height: number): void;
  changed(): number;
  paint(scale: number, width: number, height: number): Address;
  readouts(): void;
  scene_version(): number;
  primitives(): Address;
  primitive_count(): number;
  stroke(which: number): Address;
  texts(): Address;
  texts_size(): number;
  colours(): Address;
  list_text(): void;

  pointer_move(x: number, y: number): void;
  pointer_leave(): void;
  pointer_down(x: number, y: number, modifiers: number): void;
  pointer_up(x: number, y: number): void;
  double_click(x: number, y: number): void;
  wheel(x: number, y: number, dx: number, dy: number, modifiers: number): void;
  pinch(x: number, y: number, factor: number): void;
  key(name: Address, size: number, modifiers: number): number;
  run_command(name: Address, size: number): void;
  show(from: number, to: number): void;
  window_from(): number;
  window_to(): number;
  set_hint(shown: number, touch: number): void;
  set_theme(name: Address, size: number): void;

  search(text: Address, size: number): void;
  found(): void;
  set_filter(label: Address, labelSize: number, kind: Address, kindSize: number, executor: Address,
             executorSize: number, shortest: number, longest: number, onlyStuck: number): void;
  filters(): number;
  choices(): void;
  panel(): void;
  click(link: number): void;
  tooltip(): void;
  notice(): void;
  alarm(): void;
  task_table_shown(): number;
  set_task_table_shown(shown: number): void;
  task_table(): void;
  sort_tasks(column: number): void;
  choose_tasks(row: number): void;
  flame(): void;
  of_profile(): number;
  flame_changed(): number;
  flame_resize(width: number, height: number): void;
  flame_move(x: number, y: number): void;
  flame_click(x: number, y: number): void;
  flame_wheel(dy: number): void;
  flame_key(name: Address, size: number): number;
  flame_tooltip(): void;
  set_flame_time(time: number): void;
  counters(): void;
  show_counter(which: number, shown: number): void;
  bookmarks(): void;
  add_bookmark(time: number, text: Address, size: number): void;
  rename_bookmark(which: number, text: Address, size: number): void;
  remove_bookmark(which: number): void;
  go_to_bookmark(which: number): void;
  save_notes(): void;
  load_notes(json: Address, size: number, sameZero?: number): void;
  help_shown(): number;
  search_shown(): number;
  filter_shown(): number;
  set_help_shown(shown: number): void;
  set_search_shown(shown: number): void;
  set_filter_shown(shown: number): void;
  legend_shown(): number;
  set_legend_shown(shown: number): void;
  keys(): void;
  theme_names(): void;
  theme_name(): void;
}

declare class DecompressionStream {  // missing in tsc's list
  constructor(format: "gzip");
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<BufferSource>;
}
