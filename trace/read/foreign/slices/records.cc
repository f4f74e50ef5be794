#include "trace/read/foreign/slices/records.h"

namespace skein::fxt {

const Argument* Records::find(const Record& record, StringId name) const {
  for (const Argument& argument : arguments_of(record))
    if (argument.name == name) return &argument;
  return nullptr;
}

}  // namespace skein::fxt
