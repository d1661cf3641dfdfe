#include "core/runtime/kernel_context.h"

namespace headroom::runtime {

std::size_t KernelContext::output_count() const {
  if (call_.pass == Pass::kBackward) return (call_.reads.size() - call_.operands.size()) / 2;
  const bool gradients = call_.pass == Pass::kForwardBackward;
  return call_.writes.size() - (gradients ? call_.operands.size() : 0);
}

const TensorType& KernelContext::read_type(std::size_t position) const {
  if (!has_read(position))
    fail("reads operand " + std::to_string(position) + ", which was not declared");
  return step_.tensor(call_.reads[position]).type;
}

const TensorType& KernelContext::write_type(std::size_t position) const {
  if (!has_write(position))
    fail("writes operand " + std::to_string(position) + ", which was not asked for");
  return step_.tensor(call_.writes[position]).type;
}

bool KernelContext::has_read(std::size_t position) const {
  return position < call_.reads.size() && !call_.reads[position].none();
}

bool KernelContext::has_write(std::size_t position) const {
  return position < call_.writes.size() && !call_.writes[position].none();
}

const void* KernelContext::read_pointer(std::size_t position, DType dtype) const {
  const TensorType& type = read_type(position);
  if (type.dtype != dtype) {
    fail("reads operand " + std::to_string(position) + " as " + std::string(name(dtype)) +
         ", declared " + std::string(name(type.dtype)));
  }
  return read_pointers[position];
}

void* KernelContext::write_pointer(std::size_t position, DType dtype, std::int64_t elements) const {
  const TensorType& type = write_type(position);
  if (type.dtype != dtype) {
    fail("writes operand " + std::to_string(position) + " as " + std::string(name(dtype)) +
         ", declared " + std::string(name(type.dtype)));
  }
  if (elements > type.shape.numel()) {
    fail("writes " + std::to_string(elements) + " elements to operand " + std::to_string(position) +
         ", declared " + to_string(type.shape));
  }
  observer_.on_write(position, Bytes(elements * size_of(dtype)));
  return write_pointers[position];
}

void* KernelContext::workspace_pointer(Bytes size) const {
  const Bytes declared = call_.workspace.none() ? Bytes(0) : step_.bytes(call_.workspace);
  if (size > declared) {
    fail("takes " + std::to_string(size.value()) + " bytes of workspace, declared " +
         std::to_string(declared.value()));
  }
  observer_.on_workspace(size);
  return workspace_memory;
}

void KernelContext::fail(const std::string& what) const {
  throw Error("[" + std::string(call_.op->name()) + "] the " + std::string(name(call_.pass)) +
              " kernel " + what);
}

}  // namespace headroom::runtime
