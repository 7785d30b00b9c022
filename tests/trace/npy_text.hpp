// NumPy files, made by hand: numpy need not be there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petri::test {

inline std::string npy_header(const std::string& dictionary, int major = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  const std::size_t field = major == 1 ? 2 : 4, before = text.size() + field;
  std::string padded = dictionary;
  while ((before + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  for (std::size_t i = 0; i < field; ++i) text += static_cast<char>(padded.size() >> (8 * i) & 0xff);
  return text + padded;
}

inline std::string npy_header(const std::string& descr, const std::string& shape, bool fortran_order = false) {
  return npy_header("{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                    ", 'shape': " + shape + ", }");
}

template <class T>
std::string npy_file(const std::string& descr, const std::string& shape, const std::vector<T>& elements,
                     bool fortran_order = false) {
  const std::string_view data(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
  return npy_header(descr, shape, fortran_order) + std::string(data);
}

}  // namespace petri::test
