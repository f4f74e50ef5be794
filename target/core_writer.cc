#include "target/core_writer.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace skein {

namespace {

template <typename Value>
void append(std::string& to, Value value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_padded(std::string& to, std::string_view text, size_t size) {
  to += text.substr(0, size - 1);
  to.append(size - std::min(text.size(), size - 1), '\0');
}

void append_note(std::string& to, std::string_view name, uint32_t type, std::string_view data) {
  append(to, static_cast<uint32_t>(name.size() + 1));
  append(to, static_cast<uint32_t>(data.size()));
  append(to, type);
  for (const std::string_view part : {name, data}) {
    to += part;
    if (part.data() == name.data()) to += '\0';
    to.append((4 - to.size() % 4) % 4, '\0');
  }
}

// elf_prstatus: the thread at 32, user_regs_struct at 112.
std::string status_of(const TargetThread& thread, Architecture architecture) {
  std::string data(32, '\0');
  append(data, static_cast<uint32_t>(thread.id));
  data.append(112 - data.size(), '\0');
  // The DWARF numbers of x86-64's registers in the order of the structure; -1: others, -2: orig_rax,
  // in no system call.
  constexpr int x86[] = {15, 14, 13, 12, 6,  3, 11, 10, 9,  8,  0,  2,  1, 4,
                         5,  -2, 16, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1};
  const auto add = [&](int number) {
    const auto value =
        number < 0 ? std::nullopt : thread.registers.get(static_cast<size_t>(number));
    append(data, number == -2 ? UINT64_MAX : value.value_or(0));
  };
  if (architecture == Architecture::X86_64)
    for (const int number : x86) add(number);
  else
    for (int number = 0; number <= 33; number++) add(number == 33 ? -1 : number);  // pstate
  data.append(8, '\0');                                                            // pr_fpvalid
  return data;
}

// elf_prpsinfo: the process at 24, its name at 40, its arguments at 56.
std::string program_of(const Target& target) {
  std::string data(24, '\0');
  append(data, static_cast<uint32_t>(target.pid()));
  data.append(40 - data.size(), '\0');
  append_padded(data, target.name(), 16);
  append_padded(data, target.name(), 80);
  return data;
}

std::string files_of(const Target& target) {
  std::string numbers;
  std::string names;
  uint64_t count = 0;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.has_file()) continue;
    count++;
    for (const uint64_t value : {mapping.begin, mapping.end, mapping.offset / 4096})
      append(numbers, value);
    names += mapping.file + (mapping.deleted ? " (deleted)" : "") + '\0';
  }
  std::string data;
  append(data, count);
  append(data, uint64_t{4096});
  return data + numbers + names;
}

}  // namespace

void CoreWriter::add(uint64_t address, uint64_t size) {
  const uint64_t end = address + size < address ? UINT64_MAX : address + size;
  for (uint64_t at = address / page * page; at < end; at += page) {
    if (!tried_.insert(at).second) continue;
    const size_t place = memory_.size();
    memory_.resize(place + page);
    if (target_.read(at, std::span(memory_).subspan(place)) != page)
      memory_.resize(place);
    else
      pages_.push_back({at, place});
    if (at > UINT64_MAX - page) break;
  }
}

std::vector<CoreWriter::Page> CoreWriter::sorted_pages() const {
  std::vector<Page> pages = pages_;
  std::sort(pages.begin(), pages.end(),
            [](const Page& a, const Page& b) { return a.address < b.address; });
  return pages;
}

// The mappings, cut where pages begin and end.
std::vector<CoreWriter::Segment> CoreWriter::segments(const std::vector<Page>& pages) const {
  std::vector<Segment> found;
  size_t next = 0;
  for (const Mapping& mapping : target_.mappings()) {
    const uint32_t flags = (mapping.readable ? uint32_t{PF_R} : 0) |
                           (mapping.writable ? uint32_t{PF_W} : 0) |
                           (mapping.executable ? uint32_t{PF_X} : 0);
    uint64_t at = mapping.begin;
    while (next < pages.size() && pages[next].address < mapping.begin) next++;
    while (at < mapping.end) {
      const bool has_page = next < pages.size() && pages[next].address == at;
      Segment segment{.begin = at, .end = mapping.end, .flags = flags, .first = next};
      if (has_page) {
        while (next < pages.size() && pages[next].address == at && at < mapping.end) {
          at += page;
          next++;
        }
        segment.end = at;
      } else if (next < pages.size() && pages[next].address < mapping.end) {
        segment.end = pages[next].address;
      }
      segment.count = next - segment.first;
      at = segment.end;
      found.push_back(segment);
    }
  }
  return found;
}

std::string CoreWriter::notes() const {
  std::string all;
  std::vector<TargetThread> threads = target_.threads();
  append_note(all, "CORE", NT_PRPSINFO, program_of(target_));
  for (const TargetThread& thread : threads)
    append_note(all, "CORE", NT_PRSTATUS, status_of(thread, target_.architecture()));
  append_note(all, "CORE", NT_FILE, files_of(target_));
  if (!note.empty())
    append_note(all, "skein", 1, {reinterpret_cast<const char*>(note.data()), note.size()});
  return all;
}

uint64_t CoreWriter::write(const std::function<bool(std::string_view)>& write) const {
  const std::vector<Page> pages = sorted_pages();
  const std::vector<Segment> all = segments(pages);
  const std::string notes = this->notes();
  const uint64_t count = all.size() + 1;
  const bool is_extended = count >= PN_XNUM;  // then section 0 has the number

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_CORE;
  header.e_machine = target_.architecture() == Architecture::X86_64 ? EM_X86_64 : EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = is_extended ? PN_XNUM : static_cast<uint16_t>(count);
  const uint64_t sections = sizeof header + count * sizeof(Elf64_Phdr);
  const uint64_t notes_at = sections + (is_extended ? sizeof(Elf64_Shdr) : 0);
  if (is_extended) {
    header.e_shoff = sections;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 1;
  }
  const uint64_t memory_at = (notes_at + notes.size() + page - 1) / page * page;

  std::string head;
  append(head, header);
  append(head, Elf64_Phdr{.p_type = PT_NOTE,
                          .p_flags = 0,
                          .p_offset = notes_at,
                          .p_vaddr = 0,
                          .p_paddr = 0,
                          .p_filesz = notes.size(),
                          .p_memsz = 0,
                          .p_align = 4});
  for (const Segment& segment : all)
    append(head, Elf64_Phdr{.p_type = PT_LOAD,
                            .p_flags = segment.flags,
                            .p_offset = memory_at + segment.first * page,
                            .p_vaddr = segment.begin,
                            .p_paddr = 0,
                            .p_filesz = segment.count * page,
                            .p_memsz = segment.end - segment.begin,
                            .p_align = page});
  if (is_extended) {
    Elf64_Shdr section = {};
    section.sh_info = static_cast<uint32_t>(count);
    append(head, section);
  }
  head += notes;
  head.append(memory_at - head.size(), '\0');
  const uint64_t size = head.size() + pages.size() * page;
  if (!write(head)) return size;
  for (const Page& one : pages)
    if (!write({reinterpret_cast<const char*>(memory_.data()) + one.place, page})) break;
  return size;
}

}  // namespace skein
