#include "report/query.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"

namespace skein {

namespace {

using Type = QueryCell::Type;

constexpr size_t deciding_rows = 1000;

std::string hex(std::string_view blob) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "x'";
  for (const char c : blob) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text + '\'';
}

}  // namespace

void QueryOutput::begin(const std::vector<std::string_view>& columns) {
  rows_ = 0;
  names_.clear();
  waiting_.clear();
  widths_.clear();
  numeric_.assign(columns.size(), true);
  std::vector<std::string> seen;
  for (const std::string_view column : columns) {
    std::string text(column);
    if (format_ == QueryFormat::Json) {  // member names must be unique
      for (int n = 1; std::find(seen.begin(), seen.end(), text) != seen.end(); n++)
        text = std::string(column) + ':' + std::to_string(n);
      seen.push_back(text);
      append_json(names_.emplace_back(), text);
    } else {
      names_.push_back(format_ == QueryFormat::Text ? escaped(text) : text);
    }
  }
  if (format_ == QueryFormat::Json) out_ += '[';
  if (format_ == QueryFormat::Csv) {
    for (size_t i = 0; i < names_.size(); i++) {
      if (i) out_ += ',';
      append_csv(out_, names_[i]);
    }
    out_ += '\n';
  }
}

void QueryOutput::row(std::span<const QueryCell> cells) {
  switch (format_) {
    case QueryFormat::Text:
      text_row(cells);
      break;
    case QueryFormat::Csv:
      csv_row(cells);
      break;
    case QueryFormat::Json:
      json_row(cells);
      break;
  }
  rows_++;
}

void QueryOutput::end() {
  if (format_ == QueryFormat::Text && widths_.empty()) flush_table();
  if (format_ == QueryFormat::Json) out_ += rows_ ? "\n]\n" : "]\n";
}

void QueryOutput::text_row(std::span<const QueryCell> cells) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < cells.size(); i++) switch (cells[i].type) {
      case Type::Null:
        texts.emplace_back("-");
        break;
      case Type::Number:
        texts.emplace_back(cells[i].bytes);
        break;
      case Type::Blob:
        texts.push_back(hex(cells[i].bytes));
        numeric_[i] = false;
        break;
      case Type::Text:
        texts.push_back(escaped(cells[i].bytes));
        numeric_[i] = false;
    }
  if (!widths_.empty()) return add_table_line(texts);
  waiting_.push_back(std::move(texts));
  if (waiting_.size() == deciding_rows) flush_table();
}

void QueryOutput::flush_table() {
  widths_.assign(names_.size(), 0);
  waiting_.insert(waiting_.begin(), names_);
  for (const std::vector<std::string>& line : waiting_)
    for (size_t i = 0; i < line.size(); i++)
      widths_[i] = std::max(widths_[i], terminal_cells(line[i]));
  for (const std::vector<std::string>& line : waiting_) add_table_line(line);
  waiting_.clear();
}

void QueryOutput::add_table_line(const std::vector<std::string>& cells) {
  for (size_t i = 0; i < cells.size(); i++) {
    const size_t taken = terminal_cells(cells[i]);
    const std::string padding(widths_[i] - std::min(widths_[i], taken), ' ');
    const bool is_last = i + 1 == cells.size();
    if (numeric_[i]) out_ += padding;
    out_ += cells[i];
    if (!numeric_[i] && !is_last) out_ += padding;
    if (!is_last) out_ += "  ";
  }
  out_ += '\n';
}

void QueryOutput::csv_row(std::span<const QueryCell> cells) {
  for (size_t i = 0; i < cells.size(); i++) {
    if (i) out_ += ',';
    switch (cells[i].type) {
      case Type::Null:
        break;
      case Type::Number:
        out_ += cells[i].bytes;
        break;
      case Type::Blob:
        out_ += hex(cells[i].bytes);
        break;
      case Type::Text:
        append_csv(out_, cells[i].bytes);
    }
  }
  out_ += '\n';
}

void QueryOutput::json_row(std::span<const QueryCell> cells) {
  out_ += rows_ ? ",\n{" : "\n{";
  for (size_t i = 0; i < cells.size(); i++) {
    if (i) out_ += ',';
    out_ += names_[i];
    out_ += ':';
    const std::string_view bytes = cells[i].bytes;
    switch (cells[i].type) {
      case Type::Null:
        out_ += "null";
        break;
      case Type::Number:  // infinity: all readers accept this
        out_ += bytes == "Inf" ? "1e999" : bytes == "-Inf" ? "-1e999" : bytes;
        break;
      case Type::Blob:
        append_json(out_, hex(bytes));
        break;
      case Type::Text:
        append_json(out_, bytes);
    }
  }
  out_ += '}';
}

}  // namespace skein
